package org.libllm;

/** Why a generation has ended. The order is that of the numbers in llm.h. */
public enum FinishReason {
    /** It goes on. */
    NONE,
    /** The model ended its text. */
    END_TOKEN,
    /** A stop text was found. */
    STOP,
    /** As many tokens as were asked for were generated. */
    LENGTH,
    /** The sequence has no room for a further token. */
    CONTEXT_FULL
}
