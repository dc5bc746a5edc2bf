// Sequences of a context: lengths, shortening, copies, saved states.
using System;
using LibLlm.Native;

namespace LibLlm
{
    public sealed partial class Context
    {
        /// <summary>Number of tokens in a sequence.</summary>
        /// <param name="sequence">Its number.</param>
        public int GetSequenceLength(int sequence = 0)
        {
            UIntPtr length;
            using (gate.Enter()) raw.llm_sequence_length(out length, Handle, sequence);
            return Buffers.Count(length);
        }

        /// <summary>Shortens a sequence; evaluation goes on from there.</summary>
        /// <param name="length">Its new length; 0 is always possible.</param>
        /// <param name="sequence">Its number.</param>
        /// <exception cref="LlmException"><see cref="Status.State"/> when layers with a sliding window no longer have
        /// what is needed, <see cref="Status.Argument"/> when it is shorter already.</exception>
        public void Truncate(int length, int sequence = 0)
        {
            using (gate.Enter())
                raw.llm_sequence_truncate(Handle, sequence, Require.NotNegative(length, nameof(length)));
        }

        /// <summary>Empties a sequence, which may then be used again.</summary>
        /// <param name="sequence">Its number.</param>
        public void Remove(int sequence)
        {
            using (gate.Enter()) raw.llm_sequence_remove(Handle, sequence);
        }

        /// <summary>Makes a sequence a copy of another. Both share their memory until they go different ways.</summary>
        /// <param name="from">The one that is copied.</param>
        /// <param name="to">The one that becomes the copy.</param>
        public void Fork(int from, int to)
        {
            using (gate.Enter()) raw.llm_sequence_fork(Handle, from, to);
        }

        /// <summary>Shortens a sequence to the longest part that it and a text both begin with, so that only the rest
        /// of the text is to be evaluated.</summary>
        /// <param name="tokens">The whole text.</param>
        /// <param name="sequence">Its number.</param>
        /// <returns>The length of that part, less than the text's.</returns>
        public int ReusePrefix(int[] tokens, int sequence = 0)
        {
            Require.NotNull(tokens, nameof(tokens));
            UIntPtr kept;
            using (gate.Enter())
                raw.llm_sequence_reuse_prefix(out kept, Handle, sequence, tokens, Buffers.Size(tokens));
            return Buffers.Count(kept);
        }

        /// <summary>Saves a sequence, to go on with it later or elsewhere.</summary>
        /// <param name="sequence">Its number.</param>
        /// <exception cref="LlmException"><see cref="Status.State"/> when the model is an encoder;
        /// <see cref="Status.Limit"/> for more bytes than an array has: save it to a file.</exception>
        public byte[] SaveState(int sequence = 0)
        {
            using (gate.Enter())
            {
                return Buffers.Read(0, (byte[] to, UIntPtr capacity, out UIntPtr needed) =>
                    raw.llm_state_save(to, capacity, out needed, Handle, sequence));
            }
        }

        /// <summary>Saves a sequence in a file, which is replaced only when all has been written.</summary>
        /// <param name="path">Of the file.</param>
        /// <param name="sequence">Its number.</param>
        /// <exception cref="LlmException"><see cref="Status.Io"/>; <see cref="Status.State"/> when the model is an
        /// encoder.</exception>
        public void SaveState(string path, int sequence = 0)
        {
            byte[] name = Utf8.Name(path, nameof(path));
            using (gate.Enter()) raw.llm_state_save_file(Handle, sequence, name);
        }

        /// <summary>Replaces a sequence by a saved one. It has no logits before the next evaluation. The bytes may
        /// come from anywhere: whatever they are, the sequence is replaced or as it was before.</summary>
        /// <param name="state">What was saved.</param>
        /// <param name="sequence">The number of the sequence that is replaced.</param>
        /// <exception cref="LlmException"><see cref="Status.Truncated"/>, <see cref="Status.Malformed"/> or
        /// <see cref="Status.Unsupported"/> for bytes that are damaged or no state, <see cref="Status.Model"/> when
        /// it is one of another model, <see cref="Status.State"/> for other cache types,
        /// <see cref="Status.ContextFull"/> when it is too long.</exception>
        public void RestoreState(byte[] state, int sequence = 0)
        {
            Require.NotNull(state, nameof(state));
            using (gate.Enter()) raw.llm_state_restore(Handle, sequence, state, Buffers.Size(state));
        }

        /// <summary>Replaces a sequence by one that was saved in a file.</summary>
        /// <param name="path">Of the file.</param>
        /// <param name="sequence">The number of the sequence that is replaced.</param>
        /// <exception cref="LlmException">As for bytes; <see cref="Status.Io"/>.</exception>
        public void RestoreState(string path, int sequence = 0)
        {
            byte[] name = Utf8.Name(path, nameof(path));
            using (gate.Enter()) raw.llm_state_restore_file(Handle, sequence, name);
        }
    }
}
