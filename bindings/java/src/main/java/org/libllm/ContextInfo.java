package org.libllm;

/**
 * The values that are in force in a context.
 *
 * @param cacheBytes reserved for keys and values
 * @param scratchBytes for intermediate results and logits
 * @param contextLength tokens that a sequence can hold
 * @param batchSize tokens computed at once
 * @param threads that compute
 * @param maxSequences independent sequences
 * @param vocabularySize numbers in a row of logits
 */
public record ContextInfo(long cacheBytes, long scratchBytes, int contextLength, int batchSize, int threads,
        int maxSequences, int vocabularySize) {}
