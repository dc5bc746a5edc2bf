package org.libllm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Closing in every order and from every thread, memory, and many threads on one model. */
class LifetimeTest {
    private static final ContextOptions SMALL =
            ContextOptions.builder().contextLength(64).batchSize(16).threads(1).build();

    @Test
    void closedObjectsSaySo() {
        Model model = TestModels.chain();
        Tokenizer tokenizer = model.tokenizer();
        ChatTemplate template = model.chatTemplate();
        Context context = new Context(model, SMALL);
        Sampler sampler = new Sampler();
        Batch batch = new Batch();
        Generation generation = context.generate(sampler, "A");
        for (AutoCloseable object : List.of(generation, batch, sampler, context, model)) {
            for (int i = 0; i < 2; ++i) {
                try {
                    object.close();
                } catch (Exception error) {
                    throw new AssertionError(error);
                }
            }
        }
        assertTrue(assertThrows(IllegalStateException.class, model::info).getMessage().contains("model is closed"));
        assertThrows(IllegalStateException.class, () -> tokenizer.encode("a"));
        assertThrows(IllegalStateException.class, () -> template.render("{}"));
        assertThrows(IllegalStateException.class, () -> new Context(model));
        assertThrows(IllegalStateException.class, () -> context.eval(0, new int[] {1}));
        context.cancel();  // may come too late
        assertThrows(IllegalStateException.class, sampler::reset);
        assertThrows(IllegalStateException.class, batch::clear);
        assertThrows(IllegalStateException.class, generation::next);
    }

    @Test
    void anyOrderOfClosingWorks() {
        Model model = TestModels.chain();
        int[] prompt = model.tokenizer().encode("A");
        Context context = new Context(model, SMALL);
        Sampler sampler = new Sampler(SamplerOptions.greedy());
        Generation generation = context.generate(sampler, prompt, GenerationOptions.builder().build());
        model.close();
        sampler.close();
        context.close();
        assertEquals(" box:😀!", generation.text());
    }

    /** Threads close what others use: every call gives a result or an exception that is documented. */
    @Test
    void closingDuringUseIsSafe() throws Exception {
        ExecutorService pool = Executors.newFixedThreadPool(4);
        try {
            for (int round = 0; round < 60; ++round) {
                Model model = TestModels.chain();
                Context context = new Context(model, SMALL);
                Sampler sampler = new Sampler();
                Generation generation = context.generate(sampler, "Z");
                List<Future<?>> done = new ArrayList<>();
                done.add(pool.submit(() -> tolerate(() -> generation.text())));
                done.add(pool.submit(() -> tolerate(() -> {
                    for (int i = 0; i < 50; ++i) context.logits(-1);
                })));
                done.add(pool.submit(() -> tolerate(() -> {
                    for (int i = 0; i < 50; ++i) model.metadata("tokenizer.ggml.tokens");
                })));
                done.add(pool.submit(() -> {
                    Thread.sleep(ThreadLocalRandom.current().nextInt(4));
                    generation.close();
                    model.close();
                    context.close();
                    sampler.close();
                    return null;
                }));
                for (Future<?> future : done) future.get();
            }
        } finally {
            pool.shutdown();
        }
    }

    private static void tolerate(Runnable calls) {
        try {
            calls.run();
        } catch (IllegalStateException closed) {
            assertTrue(closed.getMessage().contains("is closed"), closed.getMessage());
        } catch (LlmException error) {
            assertTrue(error.status() == Status.BUSY || error.status() == Status.STATE, error.toString());
        }
    }

    /** Objects that nobody closes, while the collector runs all the time. */
    @Test
    void theCollectorMayComeAtAnyTime() throws Exception {
        Thread collector = new Thread(() -> {
            while (!Thread.currentThread().isInterrupted()) System.gc();
        });
        collector.start();
        try (Model model = TestModels.chain()) {
            for (int i = 0; i < 100; ++i) {
                Generation generation = new Context(model, SMALL).generate(new Sampler(SamplerOptions.greedy()), "A");
                assertEquals(" box:😀!", generation.text());
                assertEquals("ab", TestModels.chain().tokenizer().decode(97, 98));
            }
        } finally {
            collector.interrupt();
            collector.join();
        }
    }

    @Test
    void manyThreadsShareAModel() throws Exception {
        ExecutorService pool = Executors.newFixedThreadPool(8);
        AtomicInteger right = new AtomicInteger();
        try (Model model = TestModels.chain()) {
            List<Future<?>> done = new ArrayList<>();
            for (int thread = 0; thread < 8; ++thread) {
                done.add(pool.submit(() -> {
                    try (Context context = new Context(model, SMALL);
                            Sampler sampler = new Sampler(SamplerOptions.greedy())) {
                        for (int i = 0; i < 50; ++i) {
                            context.remove(0);
                            if (context.generate(sampler, "A").text().equals(" box:😀!")) right.incrementAndGet();
                            if (model.tokenizer().encode("the cat").length == 0) throw new AssertionError();
                        }
                    }
                }));
            }
            for (Future<?> future : done) future.get();
        } finally {
            pool.shutdown();
        }
        assertEquals(400, right.get());
    }

    /** The resident size of this process in MiB, after a collection. */
    private static long resident() throws Exception {
        System.gc();
        return Long.parseLong(Files.readString(Path.of("/proc/self/statm")).split(" ")[1]) * 4096 >> 20;
    }

    @Test
    void nothingLeaks() throws Exception {
        try (Model model = TestModels.chain()) {
            int[] prompt = model.tokenizer().encode("A");
            cycle(model, prompt, 2000);  // the compiler and the allocator have what they need
            long before = resident();
            cycle(model, prompt, 10_000);
            for (int i = 0; i < 100_000; ++i) model.tokenizer().encode("the cat sat on the mat");
            for (int i = 0; i < 10_000; ++i)
                assertThrows(LlmException.class, () -> model.tokenizer().decode(-1));
            long grown = resident() - before;
            assertTrue(grown < 48, "the resident size grew by " + grown + " MiB");
        }
    }

    private static void cycle(Model model, int[] prompt, int times) {
        GenerationOptions options = GenerationOptions.builder().maxTokens(1).stop("x").build();
        for (int i = 0; i < times; ++i) {
            try (Context context = new Context(model, SMALL); Sampler sampler = new Sampler()) {
                if (i % 10 == 0) context.generate(sampler, prompt, options).text();
            }
        }
    }
}
