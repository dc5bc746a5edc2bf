// The exception of all calls that fail.
using System;
using LibLlm.Native;

namespace LibLlm
{
    /// <summary>
    /// An error of the library. <see cref="Exception.Message"/> is one line that begins with the status's name and
    /// says the place, the value and the limit. A cancelled call throws <see cref="OperationCanceledException"/>
    /// instead, the use of a disposed object <see cref="ObjectDisposedException"/>.
    /// </summary>
    public sealed class LlmException : Exception
    {
        internal LlmException(Status status, string text) : base(MessageOf(status, text))
        {
            Status = status;
        }

        /// <summary>The kind of error.</summary>
        public Status Status { get; }

        private static string MessageOf(Status status, string text)
        {
            string name = Utf8.Decode(raw.llm_status_name((int)status));
            return string.IsNullOrEmpty(text) ? name : name + ": " + text;
        }
    }
}
