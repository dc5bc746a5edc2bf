package org.libllm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Generation as iterator and stream, and sequences. */
class GenerationTest {
    private static final String ANSWER = " box:😀!";
    private Model model;
    private Context context;
    private Sampler sampler;

    @BeforeEach
    void open() {
        model = TestModels.chain();
        context = new Context(model,
                ContextOptions.builder().cacheType(ContextOptions.CacheType.F32).maxSequences(2).build());
        sampler = new Sampler(SamplerOptions.greedy());
    }

    @AfterEach
    void close() {
        sampler.close();
        context.close();
        model.close();
    }

    private int[] prompt(String text) {
        return model.tokenizer().encode(text);
    }

    @Test
    void iterates() {
        StringBuilder text = new StringBuilder();
        Generation generation = context.generate(sampler, "A");
        for (Chunk chunk : generation) text.append(chunk.text());
        assertEquals(ANSWER, text.toString());
        assertEquals(FinishReason.END_TOKEN, generation.finishReason());
        assertFalse(generation.hasNext());
        assertThrows(NoSuchElementException.class, generation::next);
        generation.close();
    }

    @Test
    void streams() {
        try (Stream<Chunk> chunks = context.generate(sampler, "A").stream()) {
            assertEquals(ANSWER, chunks.map(Chunk::text).collect(Collectors.joining()));
        }
    }

    @Test
    void aStreamThatIsCutCloses() {
        Generation generation = context.generate(sampler, "A");
        try (Stream<Chunk> chunks = generation.stream()) {
            assertEquals(2, chunks.limit(2).count());
        }
        assertFalse(generation.hasNext());
        assertThrows(IllegalStateException.class, generation::next);
        assertEquals(FinishReason.NONE, generation.finishReason());
    }

    @Test
    void stops() {
        Generation generation = context.generate(sampler, prompt("A"), GenerationOptions.builder().stop(":😀").build());
        assertEquals(" box", generation.text());
        assertEquals(FinishReason.STOP, generation.finishReason());
    }

    @Test
    void cancelsAndGoesOn() {
        try (Generation generation = context.generate(sampler, "A")) {
            assertEquals(" ", generation.next().text());
            generation.cancel();
            LlmException error = assertThrows(CancelledException.class, generation::next);
            assertEquals(Status.CANCELLED, error.status());
            assertTrue(generation.hasNext());
            assertEquals("box:😀!", generation.text());
        }
    }

    @Test
    void isCancelledFromAnotherThread() throws Exception {
        int[] cycle = prompt("Z");  // which goes on until the context is full
        Thread canceller = new Thread(() -> {
            for (int i = 0; i < 100; ++i) {
                context.cancel();
                Thread.yield();
            }
        });
        canceller.start();
        int cancelled = 0;
        GenerationOptions options = GenerationOptions.builder().maxTokens(50).build();
        try (Generation generation = context.generate(sampler, cycle, options)) {
            while (generation.hasNext()) {
                try {
                    generation.next();
                } catch (CancelledException again) {
                    ++cancelled;
                }
            }
        }
        canceller.join();
        assertEquals(cycle.length + 49, context.length(0));
        assertTrue(cancelled <= 100);
    }

    @Test
    void givesLogprobs() {
        GenerationOptions options = GenerationOptions.builder().maxTokens(1).logprobs(3).build();
        Chunk chunk = context.generate(sampler, prompt("A"), options).next();
        assertEquals(3, chunk.top().size());
        assertEquals(chunk.token(), chunk.top().get(0).token());
        assertEquals(chunk.logprob(), chunk.top().get(0).logprob());
        assertEquals(chunk.top(), context.logprobs(-1, 3));
        assertEquals(List.of(), context.generate(sampler, "A").next().top());
    }

    @Test
    void logitsAreOneForEachToken() {
        assertEquals(Status.STATE, assertThrows(LlmException.class, () -> context.logits(-1)).status());
        context.eval(0, prompt("A"), Logits.ALL);
        assertEquals(model.info().vocabularySize(), context.logits(0).length);
        assertTrue(Arrays.equals(context.logits(-1), context.logits(prompt("A").length - 1)));
        assertEquals(Status.ARGUMENT, assertThrows(LlmException.class, () -> context.logits(99)).status());
        assertEquals(model.info().vocabularySize(), context.logprobs(-1, Integer.MAX_VALUE).size());
        assertEquals(List.of(), context.logprobs(-1, 0));
        assertThrows(LlmException.class, () -> context.logprobs(-1, -1));
    }

    @Test
    void sequencesAreIndependent() {
        context.eval(0, prompt("Z"));
        context.fork(0, 1);
        context.truncate(0, 0);
        assertEquals(0, context.length(0));
        assertEquals(prompt("Z").length, context.length(1));
        context.remove(1);
        assertEquals(0, context.length(1));
        for (int wrong : new int[] {-1, 2, Integer.MIN_VALUE, Integer.MAX_VALUE})
            assertEquals(Status.ARGUMENT, assertThrows(LlmException.class, () -> context.length(wrong)).status());
        assertThrows(LlmException.class, () -> context.truncate(0, -1));
    }

    @Test
    void reusesAPrefix() {
        GenerationOptions options = GenerationOptions.builder().reusePrefix(true).build();
        assertEquals(ANSWER, context.generate(sampler, prompt("A"), options).text());
        assertEquals(ANSWER, context.generate(sampler, prompt("A"), options).text());
        assertTrue(context.counters().reusedTokens() > 0);
        context.resetCounters();
        assertEquals(0, context.counters().reusedTokens());
    }

    @Test
    void threadsCanBeChanged() {
        context.setThreads(2);
        assertEquals(2, context.info().threads());
        assertEquals(ANSWER, context.generate(sampler, "A").text());
    }

    @Test
    void aSamplerThatIsBusyIsRefused() throws Exception {
        try (Generation first = context.generate(sampler, prompt("Z"), GenerationOptions.builder().build())) {
            Thread[] threads = new Thread[2];
            boolean[] wrong = new boolean[1];
            for (int i = 0; i < threads.length; ++i) {
                threads[i] = new Thread(() -> {
                    for (int k = 0; k < 200; ++k) {
                        try {
                            first.next();
                        } catch (LlmException error) {
                            wrong[0] |= error.status() != Status.BUSY;
                        } catch (NoSuchElementException ended) {
                            return;
                        }
                    }
                });
                threads[i].start();
            }
            for (Thread thread : threads) thread.join();
            assertFalse(wrong[0]);
        }
    }
}
