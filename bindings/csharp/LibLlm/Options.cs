// What the options of all kinds have in common: values by name, kept as text until they are used.
using System;
using System.Collections.Generic;
using System.Globalization;
using LibLlm.Native;

namespace LibLlm
{
    /// <summary>
    /// Options of one kind. A property that is null is not set: the library's default, which is in the table of
    /// <see cref="Library.Options"/>, is in force. Options are read when they are used and may be changed and used
    /// again afterwards. One thread at a time may change them.
    /// </summary>
    public abstract class Options
    {
        private readonly OptionGroup group;
        private readonly SortedDictionary<string, string> values =
            new SortedDictionary<string, string>(StringComparer.Ordinal);

        internal Options(OptionGroup group)
        {
            this.group = group;
            NativeLoader.Start();
        }

        /// <summary>Sets any option of the table by its name.</summary>
        /// <param name="name">The option's name, for instance "threads".</param>
        /// <param name="value">Its value: a number with a decimal point, or one of the option's words. Null takes a
        /// value back that was set.</param>
        /// <exception cref="LlmException"><see cref="Status.NotFound"/> for an unknown name,
        /// <see cref="Status.Argument"/> for a value that the option cannot have. Nothing has changed.</exception>
        /// <exception cref="ArgumentException">The name is null, or a text is none: half of a surrogate pair, or with a
        /// NUL.</exception>
        public void Set(string name, string value)
        {
            Require.NotNull(name, nameof(name));
            if (value == null)
            {
                values.Remove(name);
                return;
            }
            using (OptionsHandle probe = NewHandle()) SetIn(probe, name, value);
            values[name] = value;
        }

        /// <summary>The value that was set under a name, null if none was.</summary>
        /// <param name="name">The option's name.</param>
        public string Get(string name)
        {
            string value;
            return values.TryGetValue(Require.NotNull(name, nameof(name)), out value) ? value : null;
        }

        // The options as the library takes them, to be disposed of after the call.
        internal OptionsHandle ToNative()
        {
            OptionsHandle made = NewHandle();
            try
            {
                Begin(made);
                foreach (KeyValuePair<string, string> option in values) SetIn(made, option.Key, option.Value);
                Complete(made);
                return made;
            }
            catch
            {
                made.Dispose();
                throw;
            }
        }

        // Changes the defaults.
        internal virtual void Begin(OptionsHandle made) { }

        // Adds what has no name in the table.
        internal virtual void Complete(OptionsHandle made) { }

        internal static void AddText(OptionsHandle made, string name, string text)
        {
            if (text == null) return;
            byte[] bytes = Utf8.Encode(text, name);
            raw.raw_options_text(made, Utf8.Name(name, nameof(name)), bytes, Buffers.Size(bytes));
        }

        internal int? GetInteger(string name)
        {
            return (int?)GetNumber(name);
        }

        // As the library reads it: "1e3" is a whole number, too.
        internal decimal? GetNumber(string name)
        {
            string value = Get(name);
            return value == null ? (decimal?)null
                                 : decimal.Parse(value, NumberStyles.Float, CultureInfo.InvariantCulture);
        }

        internal float? GetReal(string name)
        {
            string value = Get(name);
            return value == null ? (float?)null : float.Parse(value, CultureInfo.InvariantCulture);
        }

        internal bool? GetSwitch(string name)
        {
            int? value = GetInteger(name);
            return value == null || value < 0 ? (bool?)null : value != 0; // -1 is a default that depends
        }

        internal T? GetChoice<T>(string name) where T : struct
        {
            string value = Get(name);
            return value == null ? (T?)null : (T)Enum.Parse(typeof(T), value, true);
        }

        internal void SetNumber(string name, IFormattable value)
        {
            Set(name, value?.ToString(value is float ? "R" : null, CultureInfo.InvariantCulture));
        }

        internal void SetSwitch(string name, bool? value)
        {
            Set(name, value == null ? null : value.Value ? "1" : "0");
        }

        // The members of the enumeration are called like the option's words.
        internal void SetChoice<T>(string name, T? value) where T : struct
        {
            Set(name, value?.ToString().ToLowerInvariant());
        }

        private OptionsHandle NewHandle()
        {
            OptionsHandle made;
            raw.raw_options_new(out made, (int)group);
            return made;
        }

        private static void SetIn(OptionsHandle options, string name, string value)
        {
            raw.raw_options_set(options, Utf8.Name(name, nameof(name)), Utf8.Name(value, nameof(value)));
        }
    }
}
