package org.libllm;

import java.util.List;

/**
 * What a generation gives in one step.
 *
 * @param text whole characters, possibly none
 * @param token that was chosen in this step
 * @param finishReason {@link FinishReason#NONE} but in the last chunk
 * @param logprob if asked for: natural logarithm of the token's probability at temperature 1, unfiltered
 * @param top if asked for: the most probable tokens, the best first
 */
public record Chunk(String text, int token, FinishReason finishReason, float logprob, List<TokenLogprob> top) {}
