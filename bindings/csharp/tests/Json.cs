// JSON for the tests: objects are dictionaries, arrays are lists, numbers are long or double.
using System;
using System.Collections;
using System.Collections.Generic;
using System.Globalization;
using System.Text;

namespace LibLlm.Tests
{
    internal sealed class Json
    {
        private readonly string text;
        private int position;

        private Json(string text)
        {
            this.text = text;
        }

        internal static object Parse(string text)
        {
            var json = new Json(text);
            object value = json.Value();
            json.SkipSpace();
            if (json.position != text.Length) throw json.Wrong();
            return value;
        }

        internal static string Write(object value)
        {
            var text = new StringBuilder();
            Append(text, value);
            return text.ToString();
        }

        private object Value()
        {
            SkipSpace();
            switch (Peek())
            {
                case '{': return Object();
                case '[': return Array();
                case '"': return String();
                case 't': return Word("true", true);
                case 'f': return Word("false", false);
                case 'n': return Word("null", null);
                default: return Number();
            }
        }

        private Dictionary<string, object> Object()
        {
            var members = new Dictionary<string, object>();
            for (bool more = Begin('}'); more; more = Next('}'))
            {
                SkipSpace();
                string name = String();
                SkipSpace();
                Take(':');
                members.Add(name, Value());
            }
            return members;
        }

        private List<object> Array()
        {
            var elements = new List<object>();
            for (bool more = Begin(']'); more; more = Next(']')) elements.Add(Value());
            return elements;
        }

        // Whether there is a first element.
        private bool Begin(char end)
        {
            ++position;
            SkipSpace();
            if (Peek() != end) return true;
            ++position;
            return false;
        }

        // Whether there is a further element.
        private bool Next(char end)
        {
            SkipSpace();
            if (Peek() == ',')
            {
                ++position;
                return true;
            }
            Take(end);
            return false;
        }

        private string String()
        {
            const string escapes = "\"\\/bfnrt", meanings = "\"\\/\b\f\n\r\t";
            var value = new StringBuilder();
            for (Take('"'); Peek() != '"'; ++position)
            {
                if (Peek() != '\\')
                {
                    value.Append(Peek());
                    continue;
                }
                ++position;
                if (Peek() == 'u')
                {
                    value.Append((char)int.Parse(text.Substring(position + 1, 4), NumberStyles.HexNumber));
                    position += 4;
                    continue;
                }
                int index = escapes.IndexOf(Peek());
                if (index < 0) throw Wrong();
                value.Append(meanings[index]);
            }
            ++position;
            return value.ToString();
        }

        private object Number()
        {
            int start = position;
            while (position < text.Length && "+-.eE0123456789".IndexOf(text[position]) >= 0) ++position;
            string number = text.Substring(start, position - start);
            long whole;
            if (long.TryParse(number, NumberStyles.AllowLeadingSign, CultureInfo.InvariantCulture, out whole))
                return whole;
            return double.Parse(number, CultureInfo.InvariantCulture);
        }

        private object Word(string word, object value)
        {
            foreach (char c in word) Take(c);
            return value;
        }

        private void SkipSpace()
        {
            while (position < text.Length && " \t\r\n".IndexOf(text[position]) >= 0) ++position;
        }

        private char Peek()
        {
            if (position == text.Length) throw Wrong();
            return text[position];
        }

        private void Take(char c)
        {
            if (Peek() != c) throw Wrong();
            ++position;
        }

        private FormatException Wrong()
        {
            return new FormatException("JSON is wrong at " + position);
        }

        private static void Append(StringBuilder text, object value)
        {
            if (value == null)
                text.Append("null");
            else if (value is bool)
                text.Append((bool)value ? "true" : "false");
            else if (value is string)
                AppendString(text, (string)value);
            else if (value is IDictionary)
                AppendMembers(text, (IDictionary)value);
            else if (value is IEnumerable)
                AppendElements(text, (IEnumerable)value);
            else
                AppendNumber(text, (IFormattable)value);
        }

        private static void AppendMembers(StringBuilder text, IDictionary members)
        {
            string separator = "{";
            if (members.Count == 0) text.Append('{');
            foreach (DictionaryEntry member in members)
            {
                text.Append(separator);
                AppendString(text, (string)member.Key);
                text.Append(':');
                Append(text, member.Value);
                separator = ",";
            }
            text.Append('}');
        }

        private static void AppendElements(StringBuilder text, IEnumerable elements)
        {
            string separator = "";
            text.Append('[');
            foreach (object element in elements)
            {
                text.Append(separator);
                Append(text, element);
                separator = ",";
            }
            text.Append(']');
        }

        // A fraction stays one, so that a reader can tell.
        private static void AppendNumber(StringBuilder text, IFormattable value)
        {
            bool isReal = value is float || value is double;
            string number = value.ToString(isReal ? "R" : null, CultureInfo.InvariantCulture);
            text.Append(number);
            if (isReal && number.IndexOfAny(new[] { '.', 'E' }) < 0) text.Append(".0");
        }

        private static void AppendString(StringBuilder text, string value)
        {
            text.Append('"');
            foreach (char c in value)
            {
                if (c == '"' || c == '\\')
                    text.Append('\\').Append(c);
                else if (c < ' ' || c > '~')
                    text.Append("\\u").Append(((int)c).ToString("x4"));
                else
                    text.Append(c);
            }
            text.Append('"');
        }
    }
}
