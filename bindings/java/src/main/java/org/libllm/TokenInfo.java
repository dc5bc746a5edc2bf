package org.libllm;

import java.util.Set;

/**
 * A token of a vocabulary.
 *
 * @param text as the vocabulary spells it
 * @param score 0 where the vocabulary has none
 * @param attributes what is special about it
 */
public record TokenInfo(String text, float score, Set<TokenAttribute> attributes) {}
