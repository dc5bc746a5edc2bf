package org.libllm;

/** What a group of options is for. */
public enum OptionGroup {
    /** Opening a model: {@link ModelOptions}. */
    MODEL,
    /** Making a context: {@link ContextOptions}. */
    CONTEXT,
    /** Choosing tokens: {@link SamplerOptions}. */
    SAMPLER,
    /** Generating text: {@link GenerationOptions}. */
    GENERATION,
    /** Making a prompt of a conversation: {@link ChatOptions}. */
    CHAT
}
