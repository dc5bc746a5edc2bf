// Options with which a sampler is made.
using System.Collections.Generic;
using LibLlm.Native;

namespace LibLlm
{
    /// <summary>
    /// How a <see cref="Sampler"/> chooses. It is a chain, in this order: logit bias, penalties, DRY; top-n-sigma,
    /// top-k, typical, top-p, min-p, XTC; temperature; then one of the tokens that are left is drawn. The same seed
    /// gives the same text on every machine. A setter throws <see cref="LlmException"/> for a value out of range.
    /// </summary>
    public sealed class SamplerOptions : Options
    {
        private readonly Model recommending;

        /// <summary>Options that are not set.</summary>
        public SamplerOptions() : base(OptionGroup.Sampler) { }

        /// <summary>Options that are not set; in the place of defaults come the values that a model's file
        /// recommends, if it does.</summary>
        /// <param name="model">The model, which must be open whenever a sampler is made.</param>
        public SamplerOptions(Model model) : base(OptionGroup.Sampler)
        {
            recommending = Require.NotNull(model, nameof(model));
        }

        /// <summary>Randomness; 0 is always the most probable token, default 0.8.</summary>
        public float? Temperature
        {
            get { return GetReal("temperature"); }
            set { SetNumber("temperature", value); }
        }

        /// <summary>Keep the smallest set of tokens of that much probability; 1 is all, default 0.95.</summary>
        public float? TopP
        {
            get { return GetReal("top_p"); }
            set { SetNumber("top_p", value); }
        }

        /// <summary>Drop tokens less probable than this times the best; 0 is none, default 0.05.</summary>
        public float? MinP
        {
            get { return GetReal("min_p"); }
            set { SetNumber("min_p", value); }
        }

        /// <summary>Keep that many of the most probable tokens; 0 is all, default 40.</summary>
        public int? TopK
        {
            get { return GetInteger("top_k"); }
            set { SetNumber("top_k", value); }
        }

        /// <summary>Of the random numbers. Default: taken from the system, see <see cref="Sampler.Seed"/>.</summary>
        public uint? Seed
        {
            get { return (uint?)GetNumber("seed"); }
            set { SetNumber("seed", value); }
        }

        /// <summary>Keep the tokens of nearly expected information, of that probability; default 1 is all.</summary>
        public float? TypicalP
        {
            get { return GetReal("typical_p"); }
            set { SetNumber("typical_p", value); }
        }

        /// <summary>Drop logits that many standard deviations below the best; default 0 is none.</summary>
        public float? TopNSigma
        {
            get { return GetReal("top_n_sigma"); }
            set { SetNumber("top_n_sigma", value); }
        }

        /// <summary>How often XTC drops all probable tokens but the least; default 0 is never.</summary>
        public float? XtcProbability
        {
            get { return GetReal("xtc_probability"); }
            set { SetNumber("xtc_probability", value); }
        }

        /// <summary>The probability from which on XTC drops tokens; default 0.1.</summary>
        public float? XtcThreshold
        {
            get { return GetReal("xtc_threshold"); }
            set { SetNumber("xtc_threshold", value); }
        }

        /// <summary>Vary the temperature by so much with the entropy; default 0.</summary>
        public float? DynatempRange
        {
            get { return GetReal("dynatemp_range"); }
            set { SetNumber("dynatemp_range", value); }
        }

        /// <summary>Of the normalized entropy; default 1.</summary>
        public float? DynatempExponent
        {
            get { return GetReal("dynatemp_exponent"); }
            set { SetNumber("dynatemp_exponent", value); }
        }

        /// <summary>Tokens that the penalties look at; -1 is all, default 64.</summary>
        public int? RepeatLastN
        {
            get { return GetInteger("repeat_last_n"); }
            set { SetNumber("repeat_last_n", value); }
        }

        /// <summary>Positive logits of tokens that occurred are divided by it; default 1 is off.</summary>
        public float? RepeatPenalty
        {
            get { return GetReal("repeat_penalty"); }
            set { SetNumber("repeat_penalty", value); }
        }

        /// <summary>Subtracted from a logit each time that its token occurred; default 0.</summary>
        public float? FrequencyPenalty
        {
            get { return GetReal("frequency_penalty"); }
            set { SetNumber("frequency_penalty", value); }
        }

        /// <summary>Subtracted from a logit when its token occurred at all; default 0.</summary>
        public float? PresencePenalty
        {
            get { return GetReal("presence_penalty"); }
            set { SetNumber("presence_penalty", value); }
        }

        /// <summary>Penalty of a token that would prolong a repetition (DRY); default 0 is none.</summary>
        public float? DryMultiplier
        {
            get { return GetReal("dry_multiplier"); }
            set { SetNumber("dry_multiplier", value); }
        }

        /// <summary>Growth of DRY's penalty with each token of the repetition; default 1.75.</summary>
        public float? DryBase
        {
            get { return GetReal("dry_base"); }
            set { SetNumber("dry_base", value); }
        }

        /// <summary>Longest repetition that DRY lets pass; default 2.</summary>
        public int? DryAllowedLength
        {
            get { return GetInteger("dry_allowed_length"); }
            set { SetNumber("dry_allowed_length", value); }
        }

        /// <summary>Tokens that DRY looks at; -1, the default, is all.</summary>
        public int? DryPenaltyLastN
        {
            get { return GetInteger("dry_penalty_last_n"); }
            set { SetNumber("dry_penalty_last_n", value); }
        }

        /// <summary>2 keeps the surprise near a target instead of filtering; default 0 is off.</summary>
        public int? Mirostat
        {
            get { return GetInteger("mirostat"); }
            set { SetNumber("mirostat", value); }
        }

        /// <summary>Mirostat's target in bits; default 5.</summary>
        public float? MirostatTau
        {
            get { return GetReal("mirostat_tau"); }
            set { SetNumber("mirostat_tau", value); }
        }

        /// <summary>How fast mirostat adapts; default 0.1.</summary>
        public float? MirostatEta
        {
            get { return GetReal("mirostat_eta"); }
            set { SetNumber("mirostat_eta", value); }
        }

        /// <summary>Least number of tokens that typical, top-p, min-p and XTC leave; default 0.</summary>
        public int? MinKeep
        {
            get { return GetInteger("min_keep"); }
            set { SetNumber("min_keep", value); }
        }

        /// <summary>What is added to the logits of tokens; negative infinity is never that token. Initially
        /// empty.</summary>
        public IDictionary<int, float> LogitBias { get; } = new Dictionary<int, float>();

        /// <summary>Texts that a repetition does not reach across, for DRY. Without any, they are newline, colon, quote
        /// and asterisk. Initially empty.</summary>
        public IList<string> DryBreakers { get; } = new List<string>();

        internal override void Begin(OptionsHandle made)
        {
            if (recommending != null)
                raw.llm_sampler_options_from_model(raw.raw_sampler_options(made), recommending.Handle);
        }

        internal override void Complete(OptionsHandle made)
        {
            foreach (KeyValuePair<int, float> bias in LogitBias) raw.raw_options_bias(made, bias.Key, bias.Value);
            foreach (string breaker in DryBreakers)
                AddText(made, "dry_breaker", Require.NotNull(breaker, nameof(DryBreakers)));
        }
    }
}
