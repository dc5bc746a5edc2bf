package org.libllm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Builders and the table behind them. */
class OptionsTest {
    private static Map<String, OptionInfo> table(OptionGroup group) {
        return Libllm.options(group).stream().collect(Collectors.toMap(OptionInfo::name, option -> option));
    }

    @Test
    void theTableDescribesOptions() {
        OptionInfo temperature = table(OptionGroup.SAMPLER).get("temperature");
        assertEquals(0.8, temperature.defaultValue(), 1e-6);
        assertEquals(0, temperature.minimum());
        assertFalse(temperature.integer());
        assertFalse(temperature.help().isEmpty());
        assertEquals(List.of("packed", "mapped"), table(OptionGroup.MODEL).get("load").choices());
        assertTrue(table(OptionGroup.GENERATION).get("max_tokens").integer());
        for (OptionGroup group : OptionGroup.values()) assertFalse(Libllm.options(group).isEmpty(), group.name());
    }

    @Test
    void everyDefaultCanBeSet() {
        for (OptionInfo option : Libllm.options(OptionGroup.SAMPLER)) {
            String value = option.integer() ? Long.toString((long) option.defaultValue())
                    : Double.toString((float) option.defaultValue());
            SamplerOptions.builder().set(option.name(), value).build();
        }
    }

    @Test
    void everyNamedMethodSetsItsOption() {
        ModelOptions model = ModelOptions.builder().load(ModelOptions.Load.MAPPED).open(ModelOptions.Open.VOCABULARY)
                .threads(2).maxMemory(1L << 40).verify(true).lock(false).preTokenizer("llama-bpe").build();
        assertEquals("ModelOptions{load=mapped, open=vocabulary, threads=2, max_memory=1099511627776, verify=1, "
                + "lock=0}", model.toString());
        ContextOptions.builder().contextLength(8).batchSize(4).threads(1).maxSequences(3).maxMemory(0)
                .cacheType(ContextOptions.CacheType.Q8_0).windowCache(ContextOptions.WindowCache.FULL).build();
        SamplerOptions.builder().temperature(1.5).topK(3).topP(0.5).minP(0.1).seed(4294967294L).repeatPenalty(1.1)
                .repeatLastN(-1).frequencyPenalty(0.5).presencePenalty(-0.5).logitBias(3, -1).dryBreakers(List.of("\n"))
                .build();
        GenerationOptions.builder().sequence(0).maxTokens(3).logprobs(2).reusePrefix(true).stop("x").stop("y").build();
        ChatOptions.builder().guard(false).templateName("default").template("{{ 1 }}").build();
    }

    @Test
    void wrongValuesSayWhatIsAllowed() {
        LlmException error =
                assertThrows(LlmException.class, () -> SamplerOptions.builder().temperature(-1).build());
        assertEquals(Status.ARGUMENT, error.status());
        assertTrue(error.getMessage().contains("temperature"), error.getMessage());
        for (double wrong : new double[] {Double.NaN, Double.POSITIVE_INFINITY, 1e300})
            assertThrows(LlmException.class, () -> SamplerOptions.builder().temperature(wrong).build());
        assertEquals(Status.NOT_FOUND,
                assertThrows(LlmException.class, () -> ChatOptions.builder().set("guardian", "1").build()).status());
        assertThrows(IllegalArgumentException.class, () -> SamplerOptions.builder().dryBreakers(List.of()));
    }

    @Test
    void smallNumbersAreUnderstood() {
        SamplerOptions.builder().minP(1e-7).temperature(1e-5).build();
    }

    @Test
    void biasesAndModelDefaultsAreUsed() {
        try (Model model = TestModels.chain()) {
            int space = 32;
            SamplerOptions never = SamplerOptions.builder().temperature(0)
                    .logitBias(space, Float.NEGATIVE_INFINITY).build();
            try (Context context = new Context(model, TestModels.EXACT); Sampler sampler = new Sampler(never)) {
                assertFalse(context.generate(sampler, "A").next().token() == space);
            }
            new Sampler(SamplerOptions.builder().fromModel(model).seed(7).build()).close();
            try (Sampler sampler = new Sampler(SamplerOptions.builder().seed(4294967294L).build())) {
                assertEquals(4294967294L, sampler.seed());
            }
        }
    }
}
