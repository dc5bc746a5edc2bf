// Options with which a chat template is rendered.
using System;
using LibLlm.Native;

namespace LibLlm
{
    /// <summary>How a <see cref="ChatTemplate"/> is rendered.</summary>
    public sealed class ChatOptions : Options
    {
        /// <summary>Options that are not set.</summary>
        public ChatOptions() : base(OptionGroup.Chat) { }

        /// <summary>A template to use instead of the model's; null is the model's.</summary>
        public string Template { get; set; }

        /// <summary>One of <see cref="ChatTemplate.Names"/>. Null is "default", or "tool_use" if the request has
        /// tools and the model such a template.</summary>
        public string TemplateName { get; set; }

        /// <summary>What the template takes for the time; null, the default, is the system's clock and time
        /// zone.</summary>
        public DateTimeOffset? Now { get; set; }

        /// <summary>Whether control tokens that are spelled in the conversation stay plain text, so that no message can
        /// forge another's turn. Default true; false for a request that is as trustworthy as the template.</summary>
        public bool? Guard
        {
            get { return GetSwitch("guard"); }
            set { SetSwitch("guard", value); }
        }

        /// <summary>Whether tags that are for training only are read over; without it they are an error. Default:
        /// true in the model's templates, false in <see cref="Template"/>.</summary>
        public bool? GenerationTags
        {
            get { return GetSwitch("generation_tags"); }
            set { SetSwitch("generation_tags", value); }
        }

        internal override void Complete(OptionsHandle made)
        {
            AddText(made, "template_text", Template);
            if (TemplateName != null) Utf8.Name(TemplateName, nameof(TemplateName));
            AddText(made, "template_name", TemplateName);
            if (Now == null) return;
            raw.raw_options_now(made, Now.Value.ToUnixTimeSeconds());
            string offset = ((int)Now.Value.Offset.TotalSeconds).ToString(
                System.Globalization.CultureInfo.InvariantCulture);
            raw.raw_options_set(made, Utf8.Name("utc_offset", ""), Utf8.Name(offset, ""));
        }
    }
}
