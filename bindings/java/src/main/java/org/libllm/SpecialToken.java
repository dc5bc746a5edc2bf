package org.libllm;

/** Tokens with a task. */
public enum SpecialToken {
    /** Begins a text (BOS). */
    BEGIN,
    /** Ends a text (EOS). */
    END,
    /** Ends a turn of a conversation. */
    END_OF_TURN,
    /** Stands for what the vocabulary cannot express. */
    UNKNOWN,
    /** Fills up. */
    PADDING,
    /** Separates two texts. */
    SEPARATOR
}
