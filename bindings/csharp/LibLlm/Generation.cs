// A text that is generated chunk by chunk: on demand, as a loop, or as a loop that awaits.
using System;
using System.Collections;
using System.Collections.Generic;
using System.Text;
using System.Threading;
using System.Threading.Tasks;
using LibLlm.Native;

namespace LibLlm
{
    /// <summary>
    /// A generation that continues a sequence of a context. Take its chunks one by one with <see cref="Next"/>, with
    /// foreach, or with await foreach over <see cref="ReadAllAsync"/>, which computes on threads of the pool. The two
    /// loops dispose of it when they end, however they end, and a second loop throws
    /// <see cref="ObjectDisposedException"/>; to go on after a loop, use <see cref="Next"/>. The sequence keeps the
    /// prompt and the tokens that were evaluated. One thread at a time may use a generation, its context and its
    /// sampler; the context must not be disposed of before its end.
    /// </summary>
    public sealed class Generation : IEnumerable<Chunk>, IDisposable
    {
        private readonly Context context;
        private readonly GenerationHandle handle;
        private readonly bool withLogprobs;
        private byte[] buffer = new byte[64];

        /// <summary>Starts a generation. Nothing is evaluated yet.</summary>
        /// <param name="context">Where it is evaluated.</param>
        /// <param name="sampler">Chooses the tokens.</param>
        /// <param name="prompt">Tokens to append first, or the whole text with
        /// <see cref="GenerationOptions.ReusePrefix"/>. May be empty when the last evaluation gave logits.</param>
        /// <param name="options">Or null for the defaults.</param>
        /// <exception cref="LlmException"><see cref="Status.State"/> when there is neither a prompt nor
        /// logits.</exception>
        public Generation(Context context, Sampler sampler, int[] prompt, GenerationOptions options = null)
        {
            this.context = Require.NotNull(context, nameof(context));
            Require.NotNull(sampler, nameof(sampler));
            Require.NotNull(prompt, nameof(prompt));
            withLogprobs = options?.Logprobs > 0;
            using (OptionsHandle given = (options ?? new GenerationOptions()).ToNative())
            using (context.Enter())
            {
                raw.llm_generation_start(out handle, context.Handle, sampler.Handle, prompt, Buffers.Size(prompt),
                                         raw.raw_generation_options(given));
            }
        }

        /// <summary>Generates the next token.</summary>
        /// <param name="cancellationToken">Stops the call within a layer's time.</param>
        /// <returns>The chunk, or null after the last one.</returns>
        /// <exception cref="LlmException"><see cref="Status.ContextFull"/> when the prompt does not fit,
        /// <see cref="Status.NonFinite"/>. The generation is as before and may be tried again.</exception>
        /// <exception cref="OperationCanceledException">It was cancelled. The generation is as before and may be
        /// continued.</exception>
        /// <exception cref="ObjectDisposedException">The generation or its context was disposed of.</exception>
        public Chunk Next(CancellationToken cancellationToken = default(CancellationToken))
        {
            using (context.Enter())
            using (new Hold(handle))
            using (var chunk = new llm_chunk())
            {
                int status = context.Evaluate(cancellationToken, () => raw.llm_generation_next(chunk, handle));
                if (status == raw.LLM_END) return null;
                int length = Buffers.Fill(ref buffer, (byte[] to, UIntPtr capacity, out UIntPtr needed) =>
                    raw.raw_chunk_text(to, capacity, out needed, chunk));
                return new Chunk(Utf8.Decode(buffer, length), chunk, withLogprobs);
            }
        }

        /// <summary>Generates all that is left.</summary>
        /// <param name="cancellationToken">Stops the call within a layer's time.</param>
        /// <returns>The text of all chunks.</returns>
        /// <exception cref="LlmException">As from <see cref="Next"/>.</exception>
        /// <exception cref="OperationCanceledException">It was cancelled.</exception>
        public string ReadToEnd(CancellationToken cancellationToken = default(CancellationToken))
        {
            var text = new StringBuilder();
            for (Chunk chunk = Next(cancellationToken); chunk != null; chunk = Next(cancellationToken))
                text.Append(chunk.Text);
            return text.ToString();
        }

        /// <summary>Makes the call that is running throw <see cref="OperationCanceledException"/>:
        /// <see cref="Context.Cancel"/>.</summary>
        public void Cancel()
        {
            context.Cancel();
        }

        /// <summary>Gives the generation back. A call that is running ends first.</summary>
        public void Dispose()
        {
            handle.Dispose();
        }

        /// <summary>The chunks that are left.</summary>
        public IEnumerator<Chunk> GetEnumerator()
        {
            return new Steps(this, CancellationToken.None);
        }

        /// <summary>The chunks that are left, computed on threads of the pool, for await foreach.</summary>
        /// <param name="cancellationToken">Stops within a layer's time.</param>
        /// <returns>A sequence that can be gone through once. It throws as <see cref="Next"/> does.</returns>
        public IAsyncEnumerable<Chunk> ReadAllAsync(CancellationToken cancellationToken = default(CancellationToken))
        {
            return new AsyncChunks(this, cancellationToken);
        }

        IEnumerator IEnumerable.GetEnumerator()
        {
            return GetEnumerator();
        }

        // Not the generation itself, because extension methods for both kinds of sequences would then be ambiguous.
        private sealed class AsyncChunks : IAsyncEnumerable<Chunk>
        {
            private readonly Generation generation;
            private readonly CancellationToken cancellationToken;

            internal AsyncChunks(Generation generation, CancellationToken cancellationToken)
            {
                this.generation = generation;
                this.cancellationToken = cancellationToken;
            }

            // The token is that of WithCancellation().
            public IAsyncEnumerator<Chunk> GetAsyncEnumerator(CancellationToken other)
            {
                if (!other.CanBeCanceled || other == cancellationToken) return new Steps(generation, cancellationToken);
                if (!cancellationToken.CanBeCanceled) return new Steps(generation, other);
                return new Steps(generation, CancellationTokenSource.CreateLinkedTokenSource(cancellationToken, other));
            }
        }

        private sealed class Steps : IEnumerator<Chunk>, IAsyncEnumerator<Chunk>
        {
            private readonly Generation generation;
            private readonly CancellationToken cancellationToken;
            private readonly CancellationTokenSource source; // to be disposed of, or null

            internal Steps(Generation generation, CancellationToken cancellationToken)
            {
                this.generation = generation;
                this.cancellationToken = cancellationToken;
            }

            internal Steps(Generation generation, CancellationTokenSource source) : this(generation, source.Token)
            {
                this.source = source;
            }

            public Chunk Current { get; private set; }

            object IEnumerator.Current
            {
                get { return Current; }
            }

            public bool MoveNext()
            {
                Current = generation.Next(cancellationToken);
                return Current != null;
            }

            public ValueTask<bool> MoveNextAsync()
            {
                return new ValueTask<bool>(Task.Run((Func<bool>)MoveNext, cancellationToken));
            }

            public void Reset()
            {
                throw new NotSupportedException();
            }

            public void Dispose()
            {
                generation.Dispose();
                source?.Dispose();
            }

            public ValueTask DisposeAsync()
            {
                Dispose();
                return default(ValueTask);
            }
        }
    }
}
