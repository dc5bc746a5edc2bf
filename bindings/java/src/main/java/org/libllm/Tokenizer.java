package org.libllm;

import java.util.EnumSet;
import java.util.Objects;
import java.util.OptionalInt;
import java.util.Set;
import org.libllm.internal.Buffers;
import org.libllm.internal.Raw;
import org.libllm.internal.Structs;

/** Turns text into a model's tokens and back. Any number of threads may use it, as long as the model is open. */
public final class Tokenizer {
    private static final int ADD_SPECIAL = 1;
    private static final int PARSE_SPECIAL = 2;
    private static final int WRITE_SPECIAL = 1;

    private final Model model;

    Tokenizer(Model model) {
        this.model = model;
    }

    /**
     * Turns a text into tokens, with the begin and end tokens that the model wants around a prompt.
     *
     * @param text the text
     * @return the ids
     * @throws LlmException VOCABULARY, STATE or LIMIT
     */
    public int[] encode(String text) {
        return encode(text, true, false);
    }

    /**
     * Turns a text into tokens.
     *
     * @param text the text
     * @param addSpecial whether the begin and end tokens that the model wants are added; false for a text that
     *     continues another
     * @param parseSpecial whether spellings of control tokens become these tokens. Only for text that you wrote
     *     yourself: a user's text could forge turns of a chat with it
     * @return the ids
     * @throws LlmException VOCABULARY, STATE or LIMIT
     */
    public int[] encode(String text, boolean addSpecial, boolean parseSpecial) {
        return encode(Buffers.utf8(text), addSpecial, parseSpecial);
    }

    /**
     * Turns bytes into tokens, which need not be UTF-8.
     *
     * @param bytes the bytes
     * @param addSpecial as for a text
     * @param parseSpecial as for a text
     * @return the ids
     * @throws LlmException VOCABULARY, STATE or LIMIT
     */
    public int[] encode(byte[] bytes, boolean addSpecial, boolean parseSpecial) {
        Objects.requireNonNull(bytes, "bytes");
        int flags = (addSpecial ? ADD_SPECIAL : 0) | (parseSpecial ? PARSE_SPECIAL : 0);
        return model.handle().call(
                handle -> Buffers.tokens(bytes.length / 2 + 16, out -> Raw.llm_tokenize(out, handle, bytes, flags)));
    }

    /**
     * Turns tokens into text; control tokens give none. Bytes that are not UTF-8 become U+FFFD.
     *
     * @param tokens the ids
     * @return the text
     * @throws LlmException ARGUMENT for an id outside the vocabulary, or STATE
     */
    public String decode(int... tokens) {
        return Buffers.text(decodeBytes(tokens, false));
    }

    /**
     * Turns tokens into bytes: the inverse of {@link #encode(byte[], boolean, boolean)}.
     *
     * @param tokens the ids
     * @param special whether control tokens are spelled
     * @return the bytes
     * @throws LlmException ARGUMENT for an id outside the vocabulary, or STATE
     */
    public byte[] decodeBytes(int[] tokens, boolean special) {
        Objects.requireNonNull(tokens, "tokens");
        int flags = special ? WRITE_SPECIAL : 0;
        return model.handle().call(handle -> Buffers.bytes(Buffers.guess(tokens.length * 4L + 16),
                out -> Raw.llm_detokenize(out, handle, tokens, flags)));
    }

    /**
     * Gives the text of one token as it stands inside a text: a leading space is kept.
     *
     * @param token its id
     * @return the text, "" for a control token
     * @throws LlmException ARGUMENT for an id outside the vocabulary, or STATE
     */
    public String piece(int token) {
        return Buffers.text(pieceBytes(token, false));
    }

    /**
     * Gives the bytes of one token, which may be a part of a character.
     *
     * @param token its id
     * @param special whether a control token is spelled
     * @return the bytes
     * @throws LlmException ARGUMENT for an id outside the vocabulary, or STATE
     */
    public byte[] pieceBytes(int token, boolean special) {
        return model.handle().call(handle -> Buffers.bytes(
                32, out -> Raw.llm_token_piece(out, handle, token, special ? WRITE_SPECIAL : 0)));
    }

    /**
     * Describes a token.
     *
     * @param token its id
     * @return facts about it
     * @throws LlmException ARGUMENT for an id outside the vocabulary
     */
    public TokenInfo info(int token) {
        return model.handle().call(handle -> Structs.with(
                Raw.new_llm_token_info(), Raw::delete_llm_token_info, info -> {
            Raw.llm_token_get_info(info, handle, token);
            return new TokenInfo(Buffers.string(32, out -> Raw.raw_token_text(out, info)),
                    Raw.llm_token_info_score_get(info), attributes(Raw.llm_token_info_attributes_get(info)));
        }));
    }

    private static Set<TokenAttribute> attributes(long bits) {
        Set<TokenAttribute> set = EnumSet.noneOf(TokenAttribute.class);
        for (TokenAttribute attribute : TokenAttribute.values())
            if ((bits & 1L << attribute.ordinal()) != 0) set.add(attribute);
        return set;
    }

    /**
     * Finds a special token.
     *
     * @param which its task
     * @return its id, or empty when the model has none
     */
    public OptionalInt special(SpecialToken which) {
        int token = model.handle().call(handle -> Raw.llm_special_token(handle, which.ordinal()));
        return token < 0 ? OptionalInt.empty() : OptionalInt.of(token);
    }
}
