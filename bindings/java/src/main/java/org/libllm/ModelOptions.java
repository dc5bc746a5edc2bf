package org.libllm;

import org.libllm.internal.Buffers;

/** How a model is opened. */
public final class ModelOptions extends Options {
    static final ModelOptions DEFAULTS = builder().build();

    private ModelOptions(Builder builder) {
        super(builder);
    }

    /** {@return a builder with the defaults} */
    public static Builder builder() {
        return new Builder();
    }

    /** How weights are kept. */
    public enum Load {
        /** Read and arranged for speed; the file is not needed afterwards. */
        PACKED,
        /** Computed from the mapped file: less memory, shared between processes, slower. The file must not change. */
        MAPPED
    }

    /** How much of a file is opened. */
    public enum Open {
        /** Everything. */
        ALL,
        /** Metadata and tokenizer, no weights: there can be no context. */
        VOCABULARY,
        /** Metadata and the list of tensors; also for models that cannot be run. */
        METADATA
    }

    /** Collects options for a model. */
    public static final class Builder extends Options.Builder<Builder> {
        private Builder() {
            super(OptionGroup.MODEL);
        }

        @Override
        Builder self() {
            return this;
        }

        /** {@return the options} Throws {@link LlmException} when one is unknown or outside its range. */
        public ModelOptions build() {
            return new ModelOptions(this);
        }

        /**
         * Sets how weights are kept.
         *
         * @param load the way; default {@link Load#PACKED}
         * @return this
         */
        public Builder load(Load load) {
            return set("load", load.name().toLowerCase(java.util.Locale.ROOT));
        }

        /**
         * Sets how much is opened.
         *
         * @param open the part; default {@link Open#ALL}
         * @return this
         */
        public Builder open(Open open) {
            return set("open", open.name().toLowerCase(java.util.Locale.ROOT));
        }

        /**
         * Sets the number of threads that load.
         *
         * @param threads their number; 0, the default, for the machine's
         * @return this
         */
        public Builder threads(int threads) {
            return set("threads", threads);
        }

        /**
         * Limits the memory for weights.
         *
         * @param bytes the most that they may take; 0, the default, for no limit
         * @return this
         */
        public Builder maxMemory(long bytes) {
            return set("max_memory", bytes);
        }

        /**
         * Sets whether all weights are read and refused when they are not finite.
         *
         * @param verify default false
         * @return this
         */
        public Builder verify(boolean verify) {
            return set("verify", verify);
        }

        /**
         * Sets whether weights are kept in physical memory.
         *
         * @param lock default false
         * @return this
         */
        public Builder lock(boolean lock) {
            return set("lock", lock);
        }

        /**
         * Names a pre-tokenizer to use instead of the one that the file names.
         *
         * @param name its name, such as "llama-bpe"
         * @return this
         */
        public Builder preTokenizer(String name) {
            byte[] checked = Buffers.name(name);
            return text("pre_tokenizer", java.util.Arrays.copyOf(checked, checked.length - 1));
        }
    }
}
