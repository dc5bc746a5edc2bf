package org.libllm;

/**
 * A token and how probable it is.
 *
 * @param token its id
 * @param logprob natural logarithm of its probability at temperature 1, unfiltered
 */
public record TokenLogprob(int token, float logprob) {}
