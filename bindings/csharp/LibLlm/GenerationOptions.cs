// Options with which a generation is started.
using System.Collections.Generic;
using LibLlm.Native;

namespace LibLlm
{
    /// <summary>How a <see cref="Generation"/> goes on and when it ends. A setter throws <see cref="LlmException"/>
    /// for a value out of range.</summary>
    public sealed class GenerationOptions : Options
    {
        /// <summary>Options that are not set.</summary>
        public GenerationOptions() : base(OptionGroup.Generation) { }

        /// <summary>The sequence of the context that is continued; default 0.</summary>
        public int? Sequence
        {
            get { return GetInteger("sequence"); }
            set { SetNumber("sequence", value); }
        }

        /// <summary>Most tokens to generate; 0, the default, is until the context is full.</summary>
        public int? MaxTokens
        {
            get { return GetInteger("max_tokens"); }
            set { SetNumber("max_tokens", value); }
        }

        /// <summary>Give each chunk its logarithm of the probability, and those of that many most probable tokens; 0,
        /// the default, is none.</summary>
        public int? Logprobs
        {
            get { return GetInteger("logprobs"); }
            set { SetNumber("logprobs", value); }
        }

        /// <summary>Whether the prompt is the sequence's whole text, a conversation so far for instance, of which only
        /// what the sequence does not have yet is evaluated. Default false: the prompt is appended.</summary>
        public bool? ReusePrefix
        {
            get { return GetSwitch("reuse_prefix"); }
            set { SetSwitch("reuse_prefix", value); }
        }

        /// <summary>Texts that end the generation and are no part of its output. Initially empty.</summary>
        public IList<string> Stops { get; } = new List<string>();

        internal override void Complete(OptionsHandle made)
        {
            foreach (string stop in Stops) AddText(made, "stop", Require.NotNull(stop, nameof(Stops)));
        }
    }
}
