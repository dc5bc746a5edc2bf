package org.libllm;

import org.libllm.internal.Buffers;

/** What a generation continues, and where it ends. */
public final class GenerationOptions extends Options {
    static final GenerationOptions DEFAULTS = builder().build();

    private GenerationOptions(Builder builder) {
        super(builder);
    }

    /** {@return a builder with the defaults} */
    public static Builder builder() {
        return new Builder();
    }

    /** Collects options for a generation. */
    public static final class Builder extends Options.Builder<Builder> {
        private Builder() {
            super(OptionGroup.GENERATION);
        }

        @Override
        Builder self() {
            return this;
        }

        /** {@return the options} Throws {@link LlmException} when one is unknown or outside its range. */
        public GenerationOptions build() {
            return new GenerationOptions(this);
        }

        /**
         * Sets the sequence that is continued.
         *
         * @param sequence its number; default 0
         * @return this
         */
        public Builder sequence(int sequence) {
            return set("sequence", sequence);
        }

        /**
         * Sets the most tokens that are generated.
         *
         * @param tokens their number; 0, the default, for as many as the context holds
         * @return this
         */
        public Builder maxTokens(int tokens) {
            return set("max_tokens", tokens);
        }

        /**
         * Gives each chunk its log-probability and the most probable tokens.
         *
         * @param count of the most probable tokens; 0, the default, for none and no log-probability
         * @return this
         */
        public Builder logprobs(int count) {
            return set("logprobs", count);
        }

        /**
         * Takes the prompt as the sequence's whole text, a conversation so far, for instance. What the sequence has of
         * it already is not evaluated again.
         *
         * @param reuse default false: the prompt is appended
         * @return this
         */
        public Builder reusePrefix(boolean reuse) {
            return set("reuse_prefix", reuse);
        }

        /**
         * Adds a text that ends the generation and is not part of it. May be called several times.
         *
         * @param text not empty
         * @return this
         */
        public Builder stop(String text) {
            return text("stop", Buffers.utf8(text));
        }
    }
}
