// Tokens of several sequences that are evaluated together.
using System;
using LibLlm.Native;

namespace LibLlm
{
    /// <summary>
    /// Tokens of several sequences that are evaluated together, which takes hardly longer than one of them alone. It
    /// belongs to no context. One thread at a time may use it: a second one gets <see cref="LlmException"/> with
    /// <see cref="Status.Busy"/>.
    /// </summary>
    public sealed class Batch : IDisposable
    {
        /// <summary>Makes an empty batch.</summary>
        public Batch()
        {
            Handle = NativeLoader.Call(Make);
        }

        internal BatchHandle Handle { get; }

        /// <summary>Puts tokens at the end, to be appended to a sequence.</summary>
        /// <param name="tokens">The ids, which are copied.</param>
        /// <param name="sequence">Of the context that will evaluate the batch.</param>
        /// <param name="logits">Which logits of these tokens are kept.</param>
        /// <returns>The first row of logits that they will have.</returns>
        public int Add(int[] tokens, int sequence, KeepLogits logits = KeepLogits.Last)
        {
            Require.NotNull(tokens, nameof(tokens));
            UIntPtr row;
            raw.llm_batch_add(out row, Handle, sequence, tokens, Buffers.Size(tokens), (uint)logits);
            return Buffers.Count(row);
        }

        /// <summary>Empties the batch.</summary>
        public void Clear()
        {
            raw.llm_batch_clear(Handle);
        }

        /// <summary>Gives the batch back.</summary>
        public void Dispose()
        {
            Handle.Dispose();
        }

        private static BatchHandle Make()
        {
            BatchHandle made;
            raw.llm_batch_new(out made);
            return made;
        }
    }
}
