// A conformance case: typed access to its members.
using System;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;

namespace LibLlm.Tests
{
    internal sealed class Case
    {
        private readonly IDictionary<string, object> members;

        internal Case(object members)
        {
            this.members = (IDictionary<string, object>)members;
        }

        internal bool Has(string name)
        {
            return members.ContainsKey(name);
        }

        internal object Get(string name)
        {
            object value;
            return members.TryGetValue(name, out value) ? value : null;
        }

        internal string Text(string name)
        {
            return (string)Get(name);
        }

        internal bool Flag(string name)
        {
            return Equals(Get(name), true);
        }

        internal int Number(string name)
        {
            return Convert.ToInt32(Get(name), CultureInfo.InvariantCulture);
        }

        internal int[] Numbers(string name)
        {
            return NumbersOf(Get(name));
        }

        internal IEnumerable<object> List(string name)
        {
            return (IEnumerable<object>)Get(name) ?? new object[0];
        }

        internal static int[] NumbersOf(object list)
        {
            return ((IEnumerable<object>)list).Select(n => checked((int)(long)n)).ToArray();
        }

        // The text or the bytes that a case is about.
        internal byte[] Bytes()
        {
            return Has("bytes") ? FromHex(Text("bytes")) : System.Text.Encoding.UTF8.GetBytes(Text("text"));
        }

        // Sets the options that a member of the case has by name.
        internal T Fill<T>(T options, string member) where T : Options
        {
            var values = (IDictionary<string, object>)Get(member);
            if (values == null) return options;
            foreach (KeyValuePair<string, object> option in values) options.Set(option.Key, (string)option.Value);
            return options;
        }

        internal static byte[] FromHex(string digits)
        {
            var bytes = new byte[digits.Length / 2];
            for (int i = 0; i < bytes.Length; ++i) bytes[i] = Convert.ToByte(digits.Substring(2 * i, 2), 16);
            return bytes;
        }

        internal static string ToHex(byte[] bytes)
        {
            return string.Concat(bytes.Select(b => b.ToString("x2")));
        }
    }
}
