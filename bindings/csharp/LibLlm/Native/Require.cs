// Checks of arguments.
using System;

namespace LibLlm.Native
{
    internal static class Require
    {
        internal static T NotNull<T>(T value, string parameter) where T : class
        {
            if (value == null) throw new ArgumentNullException(parameter);
            return value;
        }

        // A size or index for the library.
        internal static UIntPtr NotNegative(long value, string parameter)
        {
            if (value < 0) throw new ArgumentOutOfRangeException(parameter, value, "must not be negative");
            return new UIntPtr((ulong)value);
        }
    }
}
