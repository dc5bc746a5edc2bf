package org.libllm;

import java.util.List;

/**
 * A tensor in a model's file.
 *
 * @param name its name
 * @param type its type, such as "Q4_K"
 * @param shape its dimensions, the fastest-running first
 * @param offset of its first byte, from the start of the file that holds it
 * @param byteCount its bytes
 * @param part of a split model, that holds it, from 0
 */
public record TensorInfo(String name, String type, List<Long> shape, long offset, long byteCount, int part) {}
