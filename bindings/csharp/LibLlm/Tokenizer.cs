// Text to tokens and back.
using System;
using LibLlm.Native;

namespace LibLlm
{
    /// <summary>Kinds of special tokens.</summary>
    public enum SpecialToken
    {
        /// <summary>Begin of text (BOS).</summary>
        Begin = raw.LLM_SPECIAL_BEGIN,
        /// <summary>End of text (EOS).</summary>
        End = raw.LLM_SPECIAL_END,
        /// <summary>End of a turn in a chat.</summary>
        EndOfTurn = raw.LLM_SPECIAL_END_OF_TURN,
        /// <summary>Stands for text that the vocabulary cannot express.</summary>
        Unknown = raw.LLM_SPECIAL_UNKNOWN,
        /// <summary>Padding.</summary>
        Padding = raw.LLM_SPECIAL_PADDING,
        /// <summary>Separator.</summary>
        Separator = raw.LLM_SPECIAL_SEPARATOR
    }

    /// <summary>What a token is.</summary>
    [Flags]
    public enum TokenAttributes
    {
        /// <summary>Text.</summary>
        Normal = (int)raw.LLM_TOKEN_NORMAL,
        /// <summary>Steers the model and is no text.</summary>
        Control = (int)raw.LLM_TOKEN_CONTROL,
        /// <summary>Added by the model's maker.</summary>
        UserDefined = (int)raw.LLM_TOKEN_USER_DEFINED,
        /// <summary>Stands for unknown text.</summary>
        Unknown = (int)raw.LLM_TOKEN_UNKNOWN,
        /// <summary>Not used.</summary>
        Unused = (int)raw.LLM_TOKEN_UNUSED,
        /// <summary>Stands for one byte.</summary>
        Byte = (int)raw.LLM_TOKEN_BYTE,
        /// <summary>A generation ends at it.</summary>
        EndsGeneration = (int)raw.LLM_TOKEN_ENDS_GENERATION
    }

    /// <summary>A token of the vocabulary.</summary>
    public sealed class TokenInfo
    {
        internal TokenInfo(llm_token_info info)
        {
            Text = Buffers.ReadText((byte[] to, UIntPtr capacity, out UIntPtr needed) =>
                raw.raw_token_text(to, capacity, out needed, info));
            Score = info.score;
            Attributes = (TokenAttributes)info.attributes;
        }

        /// <summary>As the vocabulary spells it.</summary>
        public string Text { get; }

        /// <summary>0 where the vocabulary has none.</summary>
        public float Score { get; }

        /// <summary>What it is.</summary>
        public TokenAttributes Attributes { get; }
    }

    /// <summary>
    /// The tokenizer of a <see cref="Model"/>. Any thread may use it; it throws <see cref="ObjectDisposedException"/>
    /// after the model was disposed of, and <see cref="LlmException"/> with <see cref="Status.State"/> when that was
    /// opened for its metadata only. Half of a surrogate pair in a string is no text and throws
    /// <see cref="ArgumentException"/>.
    /// </summary>
    public sealed class Tokenizer
    {
        private readonly Model model;

        internal Tokenizer(Model model)
        {
            this.model = model;
        }

        /// <summary>Turns text into tokens.</summary>
        /// <param name="text">May hold NUL.</param>
        /// <param name="addSpecial">Add the begin and end tokens that the model wants, never twice; false for a text
        /// that continues another.</param>
        /// <param name="parseSpecial">Take spellings of control tokens for these tokens. Only for text that you wrote
        /// yourself: with it, a user's text can forge turns of a chat.</param>
        /// <exception cref="LlmException"><see cref="Status.Vocabulary"/> when the vocabulary cannot express
        /// it.</exception>
        public int[] Encode(string text, bool addSpecial = true, bool parseSpecial = false)
        {
            return Encode(Utf8.Encode(text, nameof(text)), addSpecial, parseSpecial);
        }

        /// <summary>Turns bytes into tokens: UTF-8, of which ill-formed parts are data like any other.</summary>
        /// <param name="text">The bytes.</param>
        /// <param name="addSpecial">As for text.</param>
        /// <param name="parseSpecial">As for text.</param>
        /// <exception cref="LlmException">As for text.</exception>
        public int[] Encode(byte[] text, bool addSpecial = true, bool parseSpecial = false)
        {
            Require.NotNull(text, nameof(text));
            uint flags = (addSpecial ? raw.LLM_TOKENIZE_ADD_SPECIAL : 0) |
                         (parseSpecial ? raw.LLM_TOKENIZE_PARSE_SPECIAL : 0);
            int likely = Math.Min(text.Length, 1 << 20) / 2 + 16;
            return Buffers.Read(likely, (int[] to, UIntPtr capacity, out UIntPtr needed) =>
                raw.llm_tokenize(to, capacity, out needed, model.Handle, text, Buffers.Size(text), flags));
        }

        /// <summary>Turns tokens into text. Bytes that are no UTF-8, as ids can give them, become U+FFFD.</summary>
        /// <param name="tokens">The ids.</param>
        /// <param name="special">Write control tokens with their spelling; without it they give no text.</param>
        /// <exception cref="LlmException"><see cref="Status.Argument"/> for an id outside the vocabulary.</exception>
        public string Decode(int[] tokens, bool special = false)
        {
            return Utf8.Decode(DecodeBytes(tokens, special));
        }

        /// <summary>Turns tokens into the bytes of their text.</summary>
        /// <param name="tokens">The ids.</param>
        /// <param name="special">As for text.</param>
        /// <exception cref="LlmException">As for text.</exception>
        public byte[] DecodeBytes(int[] tokens, bool special = false)
        {
            Require.NotNull(tokens, nameof(tokens));
            uint flags = special ? raw.LLM_DETOKENIZE_SPECIAL : 0;
            return Buffers.Read(256, (byte[] to, UIntPtr capacity, out UIntPtr needed) =>
                raw.llm_detokenize(to, capacity, out needed, model.Handle, tokens, Buffers.Size(tokens), flags));
        }

        /// <summary>The bytes of one token as they stand inside a text; a leading space is kept.</summary>
        /// <param name="token">Its id.</param>
        /// <param name="special">Write a control token with its spelling.</param>
        /// <exception cref="LlmException"><see cref="Status.Argument"/> for an id outside the vocabulary.</exception>
        public byte[] GetPiece(int token, bool special = false)
        {
            uint flags = special ? raw.LLM_DETOKENIZE_SPECIAL : 0;
            return Buffers.Read(32, (byte[] to, UIntPtr capacity, out UIntPtr needed) =>
                raw.llm_token_piece(to, capacity, out needed, model.Handle, token, flags));
        }

        /// <summary>Describes a token.</summary>
        /// <param name="token">Its id.</param>
        /// <exception cref="LlmException"><see cref="Status.Argument"/> for an id outside the vocabulary.</exception>
        public TokenInfo GetToken(int token)
        {
            using (new Hold(model.Handle))
            using (var info = new llm_token_info())
            {
                raw.llm_token_get_info(info, model.Handle, token);
                return new TokenInfo(info);
            }
        }

        /// <summary>The id of a special token, null if the model has none of the kind.</summary>
        /// <param name="kind">Which one.</param>
        public int? GetSpecialToken(SpecialToken kind)
        {
            int token = raw.llm_special_token(model.Handle, (int)kind);
            return token == raw.LLM_TOKEN_NONE ? (int?)null : token;
        }
    }
}
