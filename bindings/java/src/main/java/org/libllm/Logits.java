package org.libllm;

/** For which tokens of an evaluation logits are kept. The order is that of the flags in llm.h. */
public enum Logits {
    /** The last one. */
    LAST,
    /** All. */
    ALL,
    /** None. */
    NONE
}
