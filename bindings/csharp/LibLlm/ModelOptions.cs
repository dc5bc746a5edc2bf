// Options with which a model is opened.
using LibLlm.Native;

namespace LibLlm
{
    /// <summary>How weights are kept.</summary>
    public enum LoadMode
    {
        /// <summary>Read and arranged for speed; the file is not needed afterwards.</summary>
        Packed = raw.LLM_LOAD_PACKED,
        /// <summary>Computed from the mapped file: less memory, which processes share, but slower. The file must not
        /// change while the model is open.</summary>
        Mapped = raw.LLM_LOAD_MAPPED
    }

    /// <summary>How much of a model is opened.</summary>
    public enum OpenDepth
    {
        /// <summary>Everything.</summary>
        All = raw.LLM_OPEN_ALL,
        /// <summary>Metadata and tokenizer; no context can be made.</summary>
        Vocabulary = raw.LLM_OPEN_VOCABULARY,
        /// <summary>Metadata and the list of tensors; also for models that cannot be run.</summary>
        Metadata = raw.LLM_OPEN_METADATA
    }

    /// <summary>How a <see cref="Model"/> is opened. A setter throws <see cref="LlmException"/> for a value out of
    /// range.</summary>
    public sealed class ModelOptions : Options
    {
        /// <summary>Options that are not set.</summary>
        public ModelOptions() : base(OptionGroup.Model) { }

        /// <summary>How weights are kept; default <see cref="LoadMode.Packed"/>.</summary>
        public LoadMode? Load
        {
            get { return GetChoice<LoadMode>("load"); }
            set { SetChoice("load", value); }
        }

        /// <summary>How much is opened; default <see cref="OpenDepth.All"/>.</summary>
        public OpenDepth? Open
        {
            get { return GetChoice<OpenDepth>("open"); }
            set { SetChoice("open", value); }
        }

        /// <summary>Threads that load; 0, the default, is the machine's number.</summary>
        public int? Threads
        {
            get { return GetInteger("threads"); }
            set { SetNumber("threads", value); }
        }

        /// <summary>Most bytes that the weights may take; 0, the default, is no limit.</summary>
        public ulong? MaxMemory
        {
            get { return (ulong?)GetNumber("max_memory"); }
            set { SetNumber("max_memory", value); }
        }

        /// <summary>Whether all weights are read and checked to be finite; default false.</summary>
        public bool? Verify
        {
            get { return GetSwitch("verify"); }
            set { SetSwitch("verify", value); }
        }

        /// <summary>Whether the weights are kept in physical memory; default false.</summary>
        public bool? Lock
        {
            get { return GetSwitch("lock"); }
            set { SetSwitch("lock", value); }
        }

        /// <summary>The name of the pre-tokenizer to use instead of the file's; null is the file's.</summary>
        public string PreTokenizer { get; set; }

        internal override void Complete(OptionsHandle made)
        {
            if (PreTokenizer != null) Utf8.Name(PreTokenizer, nameof(PreTokenizer));
            AddText(made, "pre_tokenizer", PreTokenizer);
        }
    }
}
