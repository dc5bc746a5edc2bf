// Sequences that are evaluated, and their key-value cache: making, evaluating, results.
using System;
using System.Collections.Generic;
using System.Threading;
using LibLlm.Native;

namespace LibLlm
{
    /// <summary>Which logits an evaluation keeps.</summary>
    [Flags]
    public enum KeepLogits
    {
        /// <summary>Those of the last token.</summary>
        Last = 0,
        /// <summary>Those of all tokens.</summary>
        All = (int)raw.LLM_EVAL_LOGITS_ALL,
        /// <summary>None.</summary>
        None = (int)raw.LLM_EVAL_LOGITS_NONE
    }

    /// <summary>How the vectors of an input's tokens become its embedding.</summary>
    public enum Pooling
    {
        /// <summary>As the model's file says, the mean if it says nothing.</summary>
        Default = raw.LLM_POOLING_DEFAULT,
        /// <summary>The mean of all tokens.</summary>
        Mean = raw.LLM_POOLING_MEAN,
        /// <summary>The vector of the first token.</summary>
        First = raw.LLM_POOLING_FIRST,
        /// <summary>The vector of the last token.</summary>
        Last = raw.LLM_POOLING_LAST,
        /// <summary>All vectors, one behind the other.</summary>
        None = raw.LLM_POOLING_NONE
    }

    /// <summary>
    /// The sequences that are being evaluated, and their memory. One thread at a time may use a context, any thread:
    /// a second one gets <see cref="LlmException"/> with <see cref="Status.Busy"/>. <see cref="Cancel"/> and
    /// <see cref="Dispose"/> may be called from any thread. A call that fails or is cancelled leaves the sequences as
    /// they were, without logits.
    /// </summary>
    public sealed partial class Context : IDisposable
    {
        private readonly Gate gate;
        private readonly ContextInfo info;
        private readonly Action cancelByToken;
        private volatile bool cancelledByToken;
        private volatile bool cancellationMayBeLeft;

        /// <summary>Makes a context. All memory that evaluation needs is reserved here.</summary>
        /// <param name="model">The model, which the context keeps.</param>
        /// <param name="options">Or null for the defaults.</param>
        /// <exception cref="LlmException"><see cref="Status.State"/> when the model was opened without weights,
        /// <see cref="Status.NoMemory"/>.</exception>
        public Context(Model model, ContextOptions options = null)
        {
            Require.NotNull(model, nameof(model));
            using (OptionsHandle given = (options ?? new ContextOptions()).ToNative())
            {
                ContextHandle made;
                raw.llm_context_new(out made, model.Handle, raw.raw_context_options(given));
                Handle = made;
            }
            gate = new Gate(Handle, "context");
            info = new ContextInfo(Handle);
            EmbeddingLength = model.Info.EmbeddingLength;
            cancelByToken = () =>
            {
                cancelledByToken = true;
                CancelCall();
            };
        }

        internal ContextHandle Handle { get; }

        internal int EmbeddingLength { get; }

        /// <summary>The values that are in force.</summary>
        public ContextInfo Info
        {
            get
            {
                using (gate.Enter()) return new ContextInfo(Handle);
            }
        }

        /// <summary>What the context has done so far.</summary>
        public ContextCounters Counters
        {
            get
            {
                using (gate.Enter()) return new ContextCounters(Handle);
            }
        }

        /// <summary>Sets all counters to 0.</summary>
        public void ResetCounters()
        {
            using (gate.Enter()) raw.llm_context_reset_counters(Handle);
        }

        /// <summary>Changes the number of threads that compute. Results stay the same.</summary>
        /// <param name="threads">0 is the machine's number.</param>
        public void SetThreads(int threads)
        {
            using (gate.Enter()) raw.llm_context_set_threads(Handle, threads);
        }

        /// <summary>Appends tokens to a sequence and evaluates them. The result does not depend on how a text is
        /// divided into calls.</summary>
        /// <param name="tokens">The ids; none does nothing.</param>
        /// <param name="sequence">From 0 to the context's number of sequences less 1.</param>
        /// <param name="logits">Which logits are kept.</param>
        /// <param name="cancellationToken">Stops the call within a layer's time.</param>
        /// <exception cref="LlmException"><see cref="Status.ContextFull"/>, <see cref="Status.Argument"/> for an id
        /// outside the vocabulary, <see cref="Status.State"/> when the model is an encoder.</exception>
        /// <exception cref="OperationCanceledException">It was cancelled.</exception>
        public void Eval(int[] tokens, int sequence = 0, KeepLogits logits = KeepLogits.Last,
                         CancellationToken cancellationToken = default(CancellationToken))
        {
            Require.NotNull(tokens, nameof(tokens));
            Run(cancellationToken,
                () => raw.llm_eval(Handle, sequence, tokens, Buffers.Size(tokens), (uint)logits));
        }

        /// <summary>Evaluates the tokens of a batch, of several sequences together. The result is that of one call for
        /// each part of the batch.</summary>
        /// <param name="batch">Stays as it is.</param>
        /// <param name="cancellationToken">Stops the call within a layer's time.</param>
        /// <exception cref="LlmException">As for tokens.</exception>
        /// <exception cref="OperationCanceledException">It was cancelled.</exception>
        public void Eval(Batch batch, CancellationToken cancellationToken = default(CancellationToken))
        {
            Require.NotNull(batch, nameof(batch));
            Run(cancellationToken, () => raw.llm_eval_batch(Handle, batch.Handle));
        }

        /// <summary>Logits of the last evaluation, one for each token of the vocabulary.</summary>
        /// <param name="row">In the order of the tokens; -1 is the last.</param>
        /// <exception cref="LlmException"><see cref="Status.State"/> when there are none,
        /// <see cref="Status.Argument"/> for a row outside.</exception>
        public float[] GetLogits(int row = -1)
        {
            using (gate.Enter())
            {
                return Buffers.Read(info.VocabularySize, (float[] to, UIntPtr capacity, out UIntPtr needed) =>
                    raw.raw_logits(to, capacity, out needed, Handle, row));
            }
        }

        /// <summary>The most probable tokens of a row of logits, the best first, no sampler applied.</summary>
        /// <param name="count">How many; there may be fewer.</param>
        /// <param name="row">In the order of the tokens; -1 is the last.</param>
        /// <exception cref="LlmException"><see cref="Status.State"/> when there are no logits,
        /// <see cref="Status.NonFinite"/>.</exception>
        public IReadOnlyList<TokenLogprob> GetLogprobs(int count, int row = -1)
        {
            Require.NotNegative(count, nameof(count));
            var tokens = new int[Math.Min(count, info.VocabularySize)];
            var values = new float[tokens.Length];
            UIntPtr filled;
            using (gate.Enter())
            {
                raw.raw_logprobs(tokens, Buffers.Size(tokens), out filled, values, Buffers.Size(values), out filled,
                                 Handle, row);
            }
            return TokenLogprob.Pairs(tokens, values, Buffers.Count(filled));
        }

        /// <summary>Computes the embedding of an input with an encoder. No sequence changes.</summary>
        /// <param name="tokens">At least one; as the model was trained: with special tokens added.</param>
        /// <param name="pooling">How the vectors of the tokens become one.</param>
        /// <param name="normalize">Divide by the length, so that a dot product is the cosine.</param>
        /// <param name="cancellationToken">Stops the call within a layer's time.</param>
        /// <exception cref="LlmException"><see cref="Status.State"/> when the model is no encoder,
        /// <see cref="Status.ContextFull"/> for more tokens than the batch size, <see cref="Status.Argument"/>,
        /// <see cref="Status.NonFinite"/>.</exception>
        /// <exception cref="OperationCanceledException">It was cancelled.</exception>
        public float[] Embed(int[] tokens, Pooling pooling = Pooling.Default, bool normalize = true,
                             CancellationToken cancellationToken = default(CancellationToken))
        {
            Require.NotNull(tokens, nameof(tokens));
            var embedding = new float[EmbeddingLength];
            Run(cancellationToken, () =>
            {
                int status = raw.LLM_OK;
                int filled = Buffers.Fill(ref embedding, (float[] to, UIntPtr capacity, out UIntPtr needed) =>
                    status = raw.llm_embed(to, capacity, out needed, Handle, tokens, Buffers.Size(tokens), (int)pooling,
                                           normalize ? raw.LLM_EMBED_NORMALIZE : 0));
                if (status == raw.LLM_OK && filled != embedding.Length) Array.Resize(ref embedding, filled);
                return status;
            });
            return embedding;
        }

        /// <summary>Starts a generation that continues a sequence; see <see cref="Generation"/>.</summary>
        /// <param name="sampler">Chooses the tokens.</param>
        /// <param name="prompt">Tokens to append first.</param>
        /// <param name="options">Or null for the defaults.</param>
        /// <exception cref="LlmException">As from the constructor of <see cref="Generation"/>.</exception>
        public Generation Generate(Sampler sampler, int[] prompt, GenerationOptions options = null)
        {
            return new Generation(this, sampler, prompt, options);
        }

        /// <summary>Makes the evaluation that is running throw <see cref="OperationCanceledException"/> within a
        /// layer's time; without a running one, the next. May be called from any thread; does nothing when the
        /// context was disposed of.</summary>
        public void Cancel()
        {
            cancellationMayBeLeft = false;
            CancelCall();
        }

        /// <summary>Gives the context back. A call that is running ends first. Its memory is freed when its generations
        /// have been disposed of, too.</summary>
        public void Dispose()
        {
            Handle.Dispose();
        }

        internal Gate.Pass Enter()
        {
            return gate.Enter();
        }

        private void CancelCall()
        {
            try
            {
                raw.llm_cancel(Handle);
            }
            catch (ObjectDisposedException)
            {
                // Whoever cancels need not know whether there is still something to cancel.
            }
        }

        // Evaluates as the one thread in the context.
        private void Run(CancellationToken cancellationToken, Func<int> call)
        {
            using (gate.Enter()) Evaluate(cancellationToken, call);
        }

        // Makes a call that a token may cancel, and returns its status. A token that is cancelled when the call is
        // already done leaves the library's mark in the context: the next call is then made twice, which is the same
        // as once, because one that was cancelled changes nothing.
        internal int Evaluate(CancellationToken cancellationToken, Func<int> call)
        {
            cancellationToken.ThrowIfCancellationRequested();
            cancelledByToken = false;
            bool isLeft = cancellationMayBeLeft;
            try
            {
                int status;
                using (cancellationToken.Register(cancelByToken))
                {
                    status = call();
                    if (status == raw.LLM_CANCELLED && isLeft && cancellationMayBeLeft && !cancelledByToken)
                    {
                        cancellationMayBeLeft = false;
                        status = call();
                    }
                }
                if (status != raw.LLM_CANCELLED) return status;
            }
            finally
            {
                if (cancelledByToken) cancellationMayBeLeft = true;
            }
            cancellationToken.ThrowIfCancellationRequested();
            throw new OperationCanceledException("Context.Cancel() was called");
        }
    }
}
