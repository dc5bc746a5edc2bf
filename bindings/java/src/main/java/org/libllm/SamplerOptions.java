package org.libllm;

import java.util.List;
import java.util.Objects;
import org.libllm.internal.Buffers;
import org.libllm.internal.Raw;

/** How tokens are chosen. Mirostat, XTC and whatever else the table has is reached with {@code set()}. */
public final class SamplerOptions extends Options {
    static final SamplerOptions DEFAULTS = builder().build();

    private SamplerOptions(Builder builder) {
        super(builder);
    }

    /** {@return a builder with the defaults} */
    public static Builder builder() {
        return new Builder();
    }

    /** {@return options that always choose the most probable token} */
    public static SamplerOptions greedy() {
        return builder().temperature(0).build();
    }

    /** Collects options for a sampler. */
    public static final class Builder extends Options.Builder<Builder> {
        private Builder() {
            super(OptionGroup.SAMPLER);
        }

        @Override
        Builder self() {
            return this;
        }

        /** {@return the options} Throws {@link LlmException} when one is unknown or outside its range. */
        public SamplerOptions build() {
            return new SamplerOptions(this);
        }

        /**
         * Takes over what the model's file recommends, over what was set before.
         *
         * @param model a model, which must be open when the options are built and when they are used
         * @return this
         */
        public Builder fromModel(Model model) {
            Objects.requireNonNull(model, "model");
            return add(options -> model.handle().call(
                    handle -> Raw.llm_sampler_options_from_model(Raw.raw_sampler_options(options), handle)));
        }

        /**
         * Sets the randomness.
         *
         * @param temperature 0 for always the most probable token; default 0.8
         * @return this
         */
        public Builder temperature(double temperature) {
            return set("temperature", temperature);
        }

        /**
         * Keeps so many of the most probable tokens.
         *
         * @param count their number; 0 for all; default 40
         * @return this
         */
        public Builder topK(int count) {
            return set("top_k", count);
        }

        /**
         * Keeps the smallest set of tokens of that much probability.
         *
         * @param probability 1 for all; default 0.95
         * @return this
         */
        public Builder topP(double probability) {
            return set("top_p", probability);
        }

        /**
         * Drops tokens that are less probable than the best times this.
         *
         * @param ratio 0 for none; default 0.05
         * @return this
         */
        public Builder minP(double ratio) {
            return set("min_p", ratio);
        }

        /**
         * Sets the seed of the random numbers. The same seed gives the same text on every machine.
         *
         * @param seed 0 to 2<sup>32</sup> - 2; default: taken from the system, see {@link Sampler#seed()}
         * @return this
         */
        public Builder seed(long seed) {
            return set("seed", seed);
        }

        /**
         * Weakens tokens that occurred lately.
         *
         * @param penalty a factor of their logits; default 1, not at all
         * @return this
         */
        public Builder repeatPenalty(double penalty) {
            return set("repeat_penalty", penalty);
        }

        /**
         * Sets how many tokens the penalties look at.
         *
         * @param count -1 for all; default 64
         * @return this
         */
        public Builder repeatLastN(int count) {
            return set("repeat_last_n", count);
        }

        /**
         * Weakens tokens each time that they occurred.
         *
         * @param penalty subtracted from the logit; default 0
         * @return this
         */
        public Builder frequencyPenalty(double penalty) {
            return set("frequency_penalty", penalty);
        }

        /**
         * Weakens tokens that occurred at all.
         *
         * @param penalty subtracted from the logit; default 0
         * @return this
         */
        public Builder presencePenalty(double penalty) {
            return set("presence_penalty", penalty);
        }

        /**
         * Adds to a token's logit. May be called for several tokens.
         *
         * @param token its id
         * @param bias the addend; negative infinity for never that token
         * @return this
         */
        public Builder logitBias(int token, float bias) {
            return add(options -> Raw.raw_options_bias(options, token, bias));
        }

        /**
         * Sets the texts that a repetition does not reach across (DRY).
         *
         * @param texts instead of newline, colon, quote and asterisk; at least one
         * @return this
         */
        public Builder dryBreakers(List<String> texts) {
            if (texts.isEmpty()) throw new IllegalArgumentException("no breakers");
            texts.forEach(text -> text("dry_breaker", Buffers.utf8(text)));
            return this;
        }
    }
}
