// Results of unknown size: the library is asked with a buffer, and again with one of the size that it named.
using System;

namespace LibLlm.Native
{
    internal delegate int FillBuffer<T>(T[] buffer, UIntPtr capacity, out UIntPtr needed);

    internal static class Buffers
    {
        private const ulong mostElements = 0x7FFFFFC7; // that an array can have

        internal static UIntPtr Size(Array array)
        {
            return new UIntPtr((ulong)array.LongLength);
        }

        internal static int Count(UIntPtr size)
        {
            if (size.ToUInt64() <= mostElements) return (int)size.ToUInt64();
            throw new LlmException(Status.Limit,
                                   "the result has " + size + " elements, an array at most " + mostElements);
        }

        // Returns an array of exactly the result's size.
        internal static T[] Read<T>(int firstCapacity, FillBuffer<T> call)
        {
            var buffer = new T[firstCapacity];
            int count = Fill(ref buffer, call);
            if (count != buffer.Length) Array.Resize(ref buffer, count);
            return buffer;
        }

        // Makes the buffer larger if it has to be; returns how much of it is filled.
        internal static int Fill<T>(ref T[] buffer, FillBuffer<T> call)
        {
            UIntPtr needed;
            while (call(buffer, Size(buffer), out needed) == raw.LLM_BUFFER_TOO_SMALL) buffer = new T[Count(needed)];
            return (int)needed.ToUInt64();
        }

        internal static string ReadText(FillBuffer<byte> call)
        {
            var buffer = new byte[256];
            int length = Fill(ref buffer, call);
            return Utf8.Decode(buffer, length);
        }
    }
}
