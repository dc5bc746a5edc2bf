package org.libllm;

import java.nio.file.Path;

/** The small models of the conformance cases. */
final class TestModels {
    /** Caches in single precision, one sequence. */
    static final ContextOptions EXACT = ContextOptions.builder().cacheType(ContextOptions.CacheType.F32).build();

    private TestModels() {}

    static Path path(String name) {
        return Path.of(environment("LLM_CONFORMANCE_MODELS"), name);
    }

    static String environment(String name) {
        String value = System.getenv(name);
        if (value == null) throw new IllegalStateException("the environment has no " + name);
        return value;
    }

    /** Random weights, legible texts. */
    static Model decoder() {
        return Model.open(path("decoder.gguf"));
    }

    /** Each token says what follows it: after "A" comes " box:" and an emoji and "!". */
    static Model chain() {
        return Model.open(path("chain.gguf"));
    }

    static Model encoder() {
        return Model.open(path("encoder.gguf"));
    }
}
