// What a step of a generation gives.
using System;
using System.Collections.Generic;
using LibLlm.Native;

namespace LibLlm
{
    /// <summary>Why a generation ended.</summary>
    public enum FinishReason
    {
        /// <summary>It goes on.</summary>
        None = raw.LLM_FINISH_NONE,
        /// <summary>The model ended its text.</summary>
        EndToken = raw.LLM_FINISH_END_TOKEN,
        /// <summary>A stop text was found.</summary>
        Stop = raw.LLM_FINISH_STOP,
        /// <summary>So many tokens were generated as were asked for.</summary>
        Length = raw.LLM_FINISH_LENGTH,
        /// <summary>The sequence has no room for a further token.</summary>
        ContextFull = raw.LLM_FINISH_CONTEXT_FULL
    }

    /// <summary>A token and the natural logarithm of its probability at temperature 1.</summary>
    public struct TokenLogprob
    {
        internal TokenLogprob(int token, float logprob)
        {
            Token = token;
            Logprob = logprob;
        }

        /// <summary>The id.</summary>
        public int Token { get; }

        /// <summary>The logarithm; at most 0.</summary>
        public float Logprob { get; }

        internal static TokenLogprob[] Pairs(int[] tokens, float[] values, int count)
        {
            var pairs = new TokenLogprob[count];
            for (int i = 0; i < count; ++i) pairs[i] = new TokenLogprob(tokens[i], values[i]);
            return pairs;
        }
    }

    /// <summary>A step of a <see cref="Generation"/>.</summary>
    public sealed class Chunk
    {
        private static readonly TokenLogprob[] none = new TokenLogprob[0];

        internal Chunk(string text, llm_chunk chunk, bool withLogprobs)
        {
            Text = text;
            Token = chunk.token;
            FinishReason = (FinishReason)chunk.finish_reason;
            Top = none;
            if (!withLogprobs) return;
            Logprob = chunk.logprob;
            var tokens = new int[Buffers.Count(chunk.top_count)];
            var values = new float[tokens.Length];
            UIntPtr filled;
            raw.raw_chunk_top(tokens, Buffers.Size(tokens), out filled, values, Buffers.Size(values), out filled,
                              chunk);
            Top = TokenLogprob.Pairs(tokens, values, Buffers.Count(filled));
        }

        /// <summary>The text that has become certain: whole characters, possibly none. All chunks together are
        /// exactly the text.</summary>
        public string Text { get; }

        /// <summary>The token that was chosen.</summary>
        public int Token { get; }

        /// <summary>Anything but <see cref="FinishReason.None"/> in the last chunk.</summary>
        public FinishReason FinishReason { get; }

        /// <summary>If <see cref="GenerationOptions.Logprobs"/> asked for it: the natural logarithm of the token's
        /// probability at temperature 1.</summary>
        public float? Logprob { get; }

        /// <summary>If asked for: the most probable tokens, the best first.</summary>
        public IReadOnlyList<TokenLogprob> Top { get; }

        /// <summary>The text.</summary>
        public override string ToString()
        {
            return Text;
        }
    }
}
