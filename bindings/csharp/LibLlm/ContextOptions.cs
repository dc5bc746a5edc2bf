// Options with which a context is made.
using LibLlm.Native;

namespace LibLlm
{
    /// <summary>How keys and values are kept.</summary>
    public enum CacheType
    {
        /// <summary>16-bit integers with scales: the fastest.</summary>
        Q16 = raw.LLM_CACHE_Q16,
        /// <summary>Half floats; values above 65504 overflow.</summary>
        F16 = raw.LLM_CACHE_F16,
        /// <summary>Single precision: the most exact, twice the memory.</summary>
        F32 = raw.LLM_CACHE_F32,
        /// <summary>Upper halves of single precision.</summary>
        BF16 = raw.LLM_CACHE_BF16,
        /// <summary>8-bit integers with scales: half the memory, a small loss.</summary>
        Q8_0 = raw.LLM_CACHE_Q8_0
    }

    /// <summary>What layers with a sliding window keep.</summary>
    public enum WindowCache
    {
        /// <summary>Their window and a little more; a sequence cannot always be shortened far.</summary>
        Ring = raw.LLM_WINDOW_CACHE_RING,
        /// <summary>All positions.</summary>
        Full = raw.LLM_WINDOW_CACHE_FULL
    }

    /// <summary>How a <see cref="Context"/> is made. A setter throws <see cref="LlmException"/> for a value out of
    /// range.</summary>
    public sealed class ContextOptions : Options
    {
        /// <summary>Options that are not set.</summary>
        public ContextOptions() : base(OptionGroup.Context) { }

        /// <summary>Tokens that a sequence can hold; 0, the default, is the smaller of the trained length and
        /// 4096.</summary>
        public int? ContextLength
        {
            get { return GetInteger("context_length"); }
            set { SetNumber("context_length", value); }
        }

        /// <summary>Tokens that are computed at once; 0, the default, is 512. Longer inputs are split, but for
        /// <see cref="Context.Embed"/>.</summary>
        public int? BatchSize
        {
            get { return GetInteger("batch_size"); }
            set { SetNumber("batch_size", value); }
        }

        /// <summary>Threads that compute, the calling one included; 0, the default, is the machine's number.</summary>
        public int? Threads
        {
            get { return GetInteger("threads"); }
            set { SetNumber("threads", value); }
        }

        /// <summary>How keys are kept; default <see cref="CacheType.Q16"/>.</summary>
        public CacheType? CacheTypeK
        {
            get { return GetChoice<CacheType>("cache_type_k"); }
            set { SetChoice("cache_type_k", value); }
        }

        /// <summary>How values are kept; default <see cref="CacheType.Q16"/>.</summary>
        public CacheType? CacheTypeV
        {
            get { return GetChoice<CacheType>("cache_type_v"); }
            set { SetChoice("cache_type_v", value); }
        }

        /// <summary>Independent sequences, numbered from 0; default 1.</summary>
        public int? MaxSequences
        {
            get { return GetInteger("max_sequences"); }
            set { SetNumber("max_sequences", value); }
        }

        /// <summary>What layers with a sliding window keep; default <see cref="LibLlm.WindowCache.Ring"/>.</summary>
        public WindowCache? WindowCache
        {
            get { return GetChoice<WindowCache>("window_cache"); }
            set { SetChoice("window_cache", value); }
        }

        /// <summary>Most bytes of cache, scratch memory and logits; 0, the default, is no limit.</summary>
        public ulong? MaxMemory
        {
            get { return (ulong?)GetNumber("max_memory"); }
            set { SetNumber("max_memory", value); }
        }

        /// <summary>Microseconds that helping threads stay ready for the next call, keeping their processors busy; 0,
        /// the default, is 1000, -1 not at all, which is slower token by token.</summary>
        public int? IdleMicroseconds
        {
            get { return GetInteger("idle_microseconds"); }
            set { SetNumber("idle_microseconds", value); }
        }
    }
}
