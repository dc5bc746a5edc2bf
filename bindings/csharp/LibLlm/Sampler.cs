// The choice of tokens.
using System;
using LibLlm.Native;

namespace LibLlm
{
    /// <summary>
    /// Chooses tokens from logits. It remembers the tokens that it has seen, for penalties, and its random numbers.
    /// One thread at a time may use it: a second one gets <see cref="LlmException"/> with <see cref="Status.Busy"/>.
    /// </summary>
    public sealed class Sampler : IDisposable
    {
        /// <summary>Makes a sampler.</summary>
        /// <param name="options">Or null for the defaults.</param>
        public Sampler(SamplerOptions options = null)
        {
            SamplerOptions chosen = options ?? new SamplerOptions();
            Handle = NativeLoader.Call(() => Make(chosen));
        }

        private Sampler(SamplerHandle handle)
        {
            Handle = handle;
        }

        internal SamplerHandle Handle { get; }

        /// <summary>The seed that is in force, to repeat a run.</summary>
        public uint Seed
        {
            get { return raw.llm_sampler_seed(Handle); }
        }

        /// <summary>Makes a sampler that goes on as this one does.</summary>
        public Sampler Clone()
        {
            SamplerHandle made;
            raw.llm_sampler_clone(out made, Handle);
            return new Sampler(made);
        }

        /// <summary>Starts again from the seed, without tokens seen.</summary>
        public void Reset()
        {
            raw.llm_sampler_reset(Handle);
        }

        /// <summary>Tells the sampler of tokens that it did not choose, such as a prompt. Generations do that
        /// themselves.</summary>
        /// <param name="tokens">The ids.</param>
        public void Accept(int[] tokens)
        {
            raw.llm_sampler_accept(Handle, Require.NotNull(tokens, nameof(tokens)), Buffers.Size(tokens));
        }

        /// <summary>Chooses a token from a row of a context's logits, and remembers it.</summary>
        /// <param name="context">Where tokens have been evaluated.</param>
        /// <param name="row">In the order of the tokens; -1 is the last.</param>
        /// <exception cref="LlmException"><see cref="Status.State"/> when there are no logits,
        /// <see cref="Status.NonFinite"/>, <see cref="Status.Argument"/> for a row, or a token of
        /// <see cref="SamplerOptions.LogitBias"/>, outside. The sampler is then as it was.</exception>
        public int Sample(Context context, int row = -1)
        {
            Require.NotNull(context, nameof(context));
            var token = new int[1];
            using (context.Enter()) raw.llm_sample(token, Handle, context.Handle, row);
            return token[0];
        }

        /// <summary>Gives the sampler back. A generation with it goes on.</summary>
        public void Dispose()
        {
            Handle.Dispose();
        }

        private static SamplerHandle Make(SamplerOptions options)
        {
            using (OptionsHandle given = options.ToNative())
            {
                SamplerHandle made;
                raw.llm_sampler_new(out made, raw.raw_sampler_options(given));
                return made;
            }
        }
    }
}
