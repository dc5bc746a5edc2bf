package org.libllm;

/**
 * Memory that a model and a context take together, in bytes.
 *
 * @param weightBytes of weights; 0 when mapped
 * @param mappedBytes of the file, that evaluation reads; 0 unless mapped
 * @param cacheBytes of keys and values
 * @param scratchBytes of intermediate results and logits
 * @param contextLength tokens that a sequence can hold
 * @param batchSize tokens computed at once
 * @param threads that compute
 * @param maxSequences independent sequences
 */
public record MemoryEstimate(long weightBytes, long mappedBytes, long cacheBytes, long scratchBytes, int contextLength,
        int batchSize, int threads, int maxSequences) {}
