package org.libllm;

/**
 * What a context has done since it was made or its counters were reset. Calls that failed do not count.
 *
 * @param promptTokens evaluated in calls with several tokens of a sequence, and embedded
 * @param promptNanoseconds in these calls
 * @param singleTokens evaluated in calls with one token of a sequence, as in generation
 * @param singleNanoseconds in these calls
 * @param reusedTokens of prompts, that were not evaluated again
 * @param evaluations calls that evaluated tokens
 * @param firstTokenNanoseconds of the last generation, up to its first token
 * @param longestSequence tokens
 */
public record ContextCounters(long promptTokens, long promptNanoseconds, long singleTokens, long singleNanoseconds,
        long reusedTokens, long evaluations, long firstTokenNanoseconds, long longestSequence) {}
