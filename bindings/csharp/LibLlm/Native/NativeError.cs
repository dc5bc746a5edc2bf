// Turns the status of a native call into an exception. The text comes through a callback inside the same call.
using System;
using System.Runtime.InteropServices;

namespace LibLlm.Native
{
    [UnmanagedFunctionPointer(CallingConvention.StdCall)]
    internal delegate void NativeErrorCallback(int status, IntPtr text, int length);

    internal static class NativeError
    {
        // Kept here, because native code has its address.
        internal static readonly NativeErrorCallback Callback = Store;

        [ThreadStatic]
        private static string text;

        // Returns a status that is no error, and throws any other.
        internal static int Check(int status)
        {
            if (status >= 0) return status;
            string stored = text;
            text = null;
            throw new LlmException((Status)status, stored);
        }

        private static void Store(int status, IntPtr bytes, int length)
        {
            try
            {
                text = Utf8.Decode(bytes, length);
            }
            catch (Exception)
            {
                text = null; // an exception must not go through native code; the status is thrown without a text
            }
        }
    }
}
