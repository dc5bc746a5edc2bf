package org.libllm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.math.BigInteger;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Opening, facts, and the errors of both. */
class ModelTest {
    private static Status statusOf(org.junit.jupiter.api.function.Executable call) {
        return assertThrows(LlmException.class, call).status();
    }

    @Test
    void errorsNameTheFile() {
        LlmException error = assertThrows(LlmException.class, () -> Model.open(Path.of("/no/such/model.gguf")));
        assertEquals(Status.IO, error.status());
        assertTrue(error.getMessage().contains("/no/such/model.gguf"), error.getMessage());
    }

    @Test
    void nullIsRefused() {
        assertThrows(NullPointerException.class, () -> Model.open((Path) null));
        assertThrows(NullPointerException.class, () -> Model.open(Path.of("x"), null));
        assertThrows(NullPointerException.class, () -> Model.open((byte[]) null, ModelOptions.builder().build()));
        assertThrows(NullPointerException.class, () -> new Context(null));
        try (Model model = TestModels.chain(); Context context = new Context(model); Sampler sampler = new Sampler()) {
            assertThrows(NullPointerException.class, () -> model.metadata(null));
            assertThrows(NullPointerException.class, () -> model.tokenizer().encode(null));
            assertThrows(NullPointerException.class, () -> model.tokenizer().decode((int[]) null));
            assertThrows(NullPointerException.class, () -> context.eval(0, null));
            assertThrows(NullPointerException.class, () -> context.eval((Batch) null));
            assertThrows(NullPointerException.class, () -> context.restoreState(0, (byte[]) null));
            assertThrows(NullPointerException.class, () -> context.generate(null, "A"));
            assertThrows(NullPointerException.class,
                    () -> context.generate(sampler, null, GenerationOptions.builder().build()));
            assertThrows(NullPointerException.class, () -> model.chatTemplate().render((String) null));
            assertThrows(NullPointerException.class, () -> sampler.sample(null));
        }
    }

    @Test
    void namesMayNotHoldNul() {
        try (Model model = TestModels.chain()) {
            assertThrows(IllegalArgumentException.class, () -> model.metadata("general\0name"));
            assertThrows(IllegalArgumentException.class, () -> ModelOptions.builder().set("load", "packed\0"));
            assertThrows(IllegalArgumentException.class, () -> ModelOptions.builder().preTokenizer("a\0b"));
        }
    }

    @Test
    void bytesAreNotMapped() throws Exception {
        byte[] bytes = Files.readAllBytes(TestModels.path("chain.gguf"));
        ModelOptions mapped = ModelOptions.builder().load(ModelOptions.Load.MAPPED).build();
        assertEquals(Status.ARGUMENT, statusOf(() -> Model.open(bytes, mapped)));
        try (Model model = Model.open(bytes, ModelOptions.builder().build())) {
            java.util.Arrays.fill(bytes, (byte) 0);  // they are not needed any more
            try (Context context = new Context(model, TestModels.EXACT);
                    Sampler sampler = new Sampler(SamplerOptions.greedy())) {
                assertEquals(" box:😀!", context.generate(sampler, "A").text());
            }
        }
    }

    @Test
    void metadataHasJavaTypes() {
        try (Model model = TestModels.decoder()) {
            assertEquals(Optional.of("llama"), model.metadata("general.architecture"));
            assertEquals(Optional.of(-7L), model.metadata("conformance.small"));
            assertEquals(Optional.of(new BigInteger("18446744073709551615")), model.metadata("conformance.large"));
            assertEquals(Optional.of(0.5), model.metadata("conformance.half"));
            assertEquals(Optional.of(List.of(3L, -1L, 4L)), model.metadata("conformance.numbers"));
            assertEquals(Optional.of(true), model.metadata("tokenizer.ggml.add_bos_token"));
            assertEquals(Optional.of("n\0l 😀"), model.metadata("conformance.text"));
            assertEquals(Optional.empty(), model.metadata("none.such"));
            assertTrue(model.metadataKeys().contains("general.name"));
            List<?> tokens = (List<?>) model.metadata("tokenizer.ggml.tokens").orElseThrow();
            assertEquals(model.info().vocabularySize(), tokens.size());
        }
    }

    @Test
    void tensorsAddUp() {
        try (Model model = TestModels.decoder()) {
            long elements = model.tensors().stream()
                    .mapToLong(tensor -> tensor.shape().stream().reduce(1L, (a, b) -> a * b)).sum();
            long bytes = model.tensors().stream().mapToLong(TensorInfo::byteCount).sum();
            assertEquals(model.info().parameterCount(), elements);
            assertEquals(model.info().tensorBytes(), bytes);
        }
    }

    @Test
    void memoryIsWhatIsTaken() {
        ContextOptions options = ContextOptions.builder().contextLength(64).maxSequences(2).threads(1).build();
        try (Model model = TestModels.decoder(); Context context = new Context(model, options)) {
            MemoryEstimate memory = model.memory(options);
            ContextInfo info = context.info();
            assertEquals(info.cacheBytes(), memory.cacheBytes());
            assertEquals(info.scratchBytes(), memory.scratchBytes());
            assertEquals(model.info().weightBytes(), memory.weightBytes());
            assertEquals(64, memory.contextLength());
            assertEquals(2, info.maxSequences());
        }
    }

    @Test
    void supportIsJson() {
        try (Model model = Model.open(TestModels.path("unsupported.gguf"),
                ModelOptions.builder().open(ModelOptions.Open.METADATA).build())) {
            Object support = JsonText.read(model.support());
            assertEquals(false, ((java.util.Map<?, ?>) support).get("runnable"));
            assertEquals(Status.STATE, statusOf(() -> model.tokenizer().encode("a")));
            assertEquals(Status.UNSUPPORTED, statusOf(() -> Model.open(TestModels.path("unsupported.gguf"))));
        }
    }

    @Test
    void libraryFacts() {
        java.util.Map<?, ?> facts = (java.util.Map<?, ?>) JsonText.read(Libllm.systemInfo());
        assertEquals(Libllm.version(), facts.get("version"));
        assertEquals(Status.ARGUMENT, statusOf(() -> Libllm.selectCpu("abacus")));
    }

    @Test
    void everyStatusHasItsName() {
        for (Status status : Status.values()) {
            String name = new String(org.libllm.internal.Raw.llm_status_name(status.code()));
            assertEquals(status == Status.CANCELLED ? "LLM_CANCELLED" : "LLM_ERROR_" + status, name);
        }
    }
}
