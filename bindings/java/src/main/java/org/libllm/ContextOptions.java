package org.libllm;

import java.util.Locale;

/** What a context can hold, and how it computes. */
public final class ContextOptions extends Options {
    static final ContextOptions DEFAULTS = builder().build();

    private ContextOptions(Builder builder) {
        super(builder);
    }

    /** {@return a builder with the defaults} */
    public static Builder builder() {
        return new Builder();
    }

    /** How keys and values are kept, with the bytes of one value. */
    public enum CacheType {
        /** 2: 16-bit integers with a scale for each head; about as exact as F16, and the fastest. */
        Q16,
        /** 2: half floats. */
        F16,
        /** 4: the most exact. */
        F32,
        /** 2: upper halves of single precision. */
        BF16,
        /** 1.1: 8-bit integers with a scale for each 32; a small loss. */
        Q8_0
    }

    /** What layers with a sliding window keep. */
    public enum WindowCache {
        /** Their window; a sequence cannot always be shortened by more than the batch size. */
        RING,
        /** All positions. */
        FULL
    }

    /** Collects options for a context. */
    public static final class Builder extends Options.Builder<Builder> {
        private Builder() {
            super(OptionGroup.CONTEXT);
        }

        @Override
        Builder self() {
            return this;
        }

        /** {@return the options} Throws {@link LlmException} when one is unknown or outside its range. */
        public ContextOptions build() {
            return new ContextOptions(this);
        }

        /**
         * Sets how many tokens a sequence can hold.
         *
         * @param tokens their number; 0, the default, for what the model was trained for, at most 4096
         * @return this
         */
        public Builder contextLength(int tokens) {
            return set("context_length", tokens);
        }

        /**
         * Sets how many tokens are computed at once; longer inputs are split.
         *
         * @param tokens their number; 0, the default, for 512
         * @return this
         */
        public Builder batchSize(int tokens) {
            return set("batch_size", tokens);
        }

        /**
         * Sets the number of threads that compute, the calling one included. It does not change results.
         *
         * @param threads their number; 0, the default, for the machine's
         * @return this
         */
        public Builder threads(int threads) {
            return set("threads", threads);
        }

        /**
         * Sets the number of independent sequences, which are numbered from 0.
         *
         * @param sequences their number; default 1
         * @return this
         */
        public Builder maxSequences(int sequences) {
            return set("max_sequences", sequences);
        }

        /**
         * Sets how keys and values are kept.
         *
         * @param type the type of both; default {@link CacheType#Q16}
         * @return this
         */
        public Builder cacheType(CacheType type) {
            String word = type.name().toLowerCase(Locale.ROOT);
            return set("cache_type_k", word).set("cache_type_v", word);
        }

        /**
         * Sets what layers with a sliding window keep.
         *
         * @param cache default {@link WindowCache#RING}
         * @return this
         */
        public Builder windowCache(WindowCache cache) {
            return set("window_cache", cache.name().toLowerCase(Locale.ROOT));
        }

        /**
         * Limits the memory for cache, scratch and logits.
         *
         * @param bytes the most that they may take; 0, the default, for no limit
         * @return this
         */
        public Builder maxMemory(long bytes) {
            return set("max_memory", bytes);
        }
    }
}
