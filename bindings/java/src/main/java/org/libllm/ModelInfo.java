package org.libllm;

/**
 * Facts about a model. Numbers that the file does not give are 0 in a model that was opened for its metadata.
 *
 * @param architecture "llama", for instance
 * @param name general.name, "" if the file has none
 * @param type the tensor type that holds most of the weights' bytes, such as "Q4_1"
 * @param description for people, such as "llama 1.24B Q4_K"
 * @param parameterCount sum of the elements of all tensors
 * @param fileSize bytes of all parts
 * @param tensorBytes bytes of all tensors as stored
 * @param weightBytes bytes of memory that the weights take now; 0 when mapped
 * @param vocabularySize number of tokens
 * @param contextLength tokens that it was trained for
 * @param embeddingLength numbers in the vector of a token
 * @param layerCount number of layers
 * @param headCount heads of attention
 * @param headCountKv heads of keys and values
 * @param headLength numbers in a head
 * @param feedForwardLength width of the feed-forward part
 * @param fileCount more than 1 when the model is split
 * @param expertCount experts of a mixture, else 0
 * @param expertUsedCount experts that a token uses
 * @param generates whether it is a decoder, for {@link Context#generate}
 * @param embeds whether it is an encoder, for {@link Context#embed}
 */
public record ModelInfo(String architecture, String name, String type, String description, long parameterCount,
        long fileSize, long tensorBytes, long weightBytes, int vocabularySize, int contextLength, int embeddingLength,
        int layerCount, int headCount, int headCountKv, int headLength, int feedForwardLength, int fileCount,
        int expertCount, int expertUsedCount, boolean generates, boolean embeds) {}
