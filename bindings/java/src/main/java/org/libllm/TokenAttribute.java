package org.libllm;

/** What is special about a token. The order is that of the bits in llm.h. */
public enum TokenAttribute {
    /** Steers the model and is no text: begin, end, markers of turns. */
    CONTROL,
    /** Added by the model's maker. */
    USER_DEFINED,
    /** Stands for unknown text. */
    UNKNOWN,
    /** Not used. */
    UNUSED,
    /** Stands for one byte that has no token of its own. */
    BYTE,
    /** A generation stops at it. */
    ENDS_GENERATION
}
