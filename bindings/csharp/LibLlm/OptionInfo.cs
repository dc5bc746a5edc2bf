// The table of options that the library knows.
using System.Collections.Generic;
using LibLlm.Native;

namespace LibLlm
{
    /// <summary>Kinds of options.</summary>
    public enum OptionGroup
    {
        /// <summary>Of <see cref="ModelOptions"/>.</summary>
        Model = raw.LLM_OPTIONS_MODEL,
        /// <summary>Of <see cref="ContextOptions"/>.</summary>
        Context = raw.LLM_OPTIONS_CONTEXT,
        /// <summary>Of <see cref="SamplerOptions"/>.</summary>
        Sampler = raw.LLM_OPTIONS_SAMPLER,
        /// <summary>Of <see cref="GenerationOptions"/>.</summary>
        Generation = raw.LLM_OPTIONS_GENERATION,
        /// <summary>Of <see cref="ChatOptions"/>.</summary>
        Chat = raw.LLM_OPTIONS_CHAT
    }

    /// <summary>What the value of an option is.</summary>
    public enum OptionType
    {
        /// <summary>A whole number.</summary>
        Integer = raw.LLM_OPTION_INTEGER,
        /// <summary>A number.</summary>
        Real = raw.LLM_OPTION_REAL,
        /// <summary>One of the words in <see cref="OptionInfo.Choices"/>.</summary>
        Choice = raw.LLM_OPTION_CHOICE
    }

    /// <summary>An option that can be set by its name.</summary>
    public sealed class OptionInfo
    {
        internal OptionInfo(llm_option option)
        {
            Name = Utf8.Decode(option.name);
            Help = Utf8.Decode(option.help);
            string choices = Utf8.Decode(option.choices);
            Choices = choices == null ? new string[0] : choices.Split('|');
            DefaultValue = option.default_value;
            Minimum = option.minimum;
            Maximum = option.maximum;
            Type = (OptionType)option.type;
        }

        /// <summary>Its name.</summary>
        public string Name { get; }

        /// <summary>What it is for, in one line.</summary>
        public string Help { get; }

        /// <summary>What its value is.</summary>
        public OptionType Type { get; }

        /// <summary>The words that it can be; empty for a number.</summary>
        public IReadOnlyList<string> Choices { get; }

        /// <summary>Its default: a number, or the index of a word.</summary>
        public double DefaultValue { get; }

        /// <summary>The least value.</summary>
        public double Minimum { get; }

        /// <summary>The greatest value.</summary>
        public double Maximum { get; }
    }
}
