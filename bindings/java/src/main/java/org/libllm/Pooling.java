package org.libllm;

/** How the vectors of an input's tokens become the input's embedding. */
public enum Pooling {
    /** As the model's file says; the mean if it says nothing. */
    DEFAULT,
    /** The mean of all tokens. */
    MEAN,
    /** The vector of the first token. */
    FIRST,
    /** The vector of the last token. */
    LAST,
    /** All vectors, one behind the other. */
    NONE
}
