// Text between C# and the library: UTF-8 with a length, which may hold NUL; names end with a zero instead.
using System;
using System.Runtime.InteropServices;
using System.Text;

namespace LibLlm.Native
{
    internal static class Utf8
    {
        // Lone surrogates throw; without a byte order mark.
        private static readonly UTF8Encoding strict = new UTF8Encoding(false, true);

        internal static byte[] Encode(string text, string parameter)
        {
            Require.NotNull(text, parameter);
            try
            {
                return strict.GetBytes(text);
            }
            catch (EncoderFallbackException error)
            {
                throw new ArgumentException("half of a surrogate pair at index " + error.Index + " is no text",
                                            parameter, error);
            }
        }

        // A name, with a zero behind it.
        internal static byte[] Name(string name, string parameter)
        {
            byte[] bytes = Encode(name, parameter);
            if (Array.IndexOf(bytes, (byte)0) >= 0) throw new ArgumentException("the name holds a NUL", parameter);
            Array.Resize(ref bytes, bytes.Length + 1);
            return bytes;
        }

        internal static byte[] NameOrNull(string name, string parameter)
        {
            return name == null ? null : Name(name, parameter);
        }

        // Bytes that are no UTF-8 become U+FFFD.
        internal static string Decode(byte[] bytes, int length)
        {
            return Encoding.UTF8.GetString(bytes, 0, length);
        }

        internal static string Decode(byte[] bytes)
        {
            return Decode(bytes, bytes.Length);
        }

        internal static string Decode(IntPtr text, int length)
        {
            var bytes = new byte[length];
            if (length > 0) Marshal.Copy(text, bytes, 0, length);
            return Decode(bytes, length);
        }

        // A text that ends with a zero; null for none.
        internal static string Decode(IntPtr text)
        {
            if (text == IntPtr.Zero) return null;
            int length = 0;
            while (Marshal.ReadByte(text, length) != 0) ++length;
            return Decode(text, length);
        }
    }
}
