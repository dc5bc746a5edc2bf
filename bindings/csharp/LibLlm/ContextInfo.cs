// Facts about a context, and what it has done.
using System;
using LibLlm.Native;

namespace LibLlm
{
    /// <summary>The values that are in force in a <see cref="Context"/>.</summary>
    public sealed class ContextInfo
    {
        internal ContextInfo(ContextHandle context)
        {
            using (var info = new llm_context_info())
            {
                raw.llm_context_get_info(info, context);
                CacheBytes = info.cache_bytes;
                ScratchBytes = info.scratch_bytes;
                ContextLength = (int)info.context_length;
                BatchSize = (int)info.batch_size;
                Threads = (int)info.threads;
                MaxSequences = (int)info.max_sequences;
                VocabularySize = (int)info.vocabulary_size;
            }
        }

        /// <summary>Bytes that are reserved for keys and values.</summary>
        public ulong CacheBytes { get; }

        /// <summary>Bytes for intermediate results and logits.</summary>
        public ulong ScratchBytes { get; }

        /// <summary>Tokens that a sequence can hold.</summary>
        public int ContextLength { get; }

        /// <summary>Tokens that are computed at once.</summary>
        public int BatchSize { get; }

        /// <summary>Threads that compute.</summary>
        public int Threads { get; }

        /// <summary>Sequences, numbered from 0.</summary>
        public int MaxSequences { get; }

        /// <summary>Logits in a row.</summary>
        public int VocabularySize { get; }
    }

    /// <summary>What a <see cref="Context"/> has done since it was made or its counters were reset. Calls that failed
    /// or were cancelled do not count.</summary>
    public sealed class ContextCounters
    {
        internal ContextCounters(ContextHandle context)
        {
            using (var counters = new llm_context_counters())
            {
                raw.llm_context_get_counters(counters, context);
                PromptTokens = counters.prompt_tokens;
                PromptTime = FromNanoseconds(counters.prompt_nanoseconds);
                SingleTokens = counters.single_tokens;
                SingleTime = FromNanoseconds(counters.single_nanoseconds);
                ReusedTokens = counters.reused_tokens;
                Evaluations = counters.evaluations;
                FirstTokenTime = FromNanoseconds(counters.first_token_nanoseconds);
                LongestSequence = counters.longest_sequence;
            }
        }

        /// <summary>Tokens evaluated in calls with several of a sequence, and embedded.</summary>
        public ulong PromptTokens { get; }

        /// <summary>Time in these calls.</summary>
        public TimeSpan PromptTime { get; }

        /// <summary>Tokens evaluated in calls with one of a sequence, as in generation.</summary>
        public ulong SingleTokens { get; }

        /// <summary>Time in these calls.</summary>
        public TimeSpan SingleTime { get; }

        /// <summary>Tokens of prompts that were not evaluated again.</summary>
        public ulong ReusedTokens { get; }

        /// <summary>Calls that evaluated tokens.</summary>
        public ulong Evaluations { get; }

        /// <summary>Of the last generation: until its first token.</summary>
        public TimeSpan FirstTokenTime { get; }

        /// <summary>Tokens of the longest sequence.</summary>
        public ulong LongestSequence { get; }

        private static TimeSpan FromNanoseconds(ulong nanoseconds)
        {
            return TimeSpan.FromTicks((long)(nanoseconds / 100));
        }
    }
}
