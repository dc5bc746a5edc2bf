/**
 * Runs large language models from GGUF files on the CPU, inside your own program.
 *
 * <pre>{@code
 * try (Model model = Model.open(Path.of("model.gguf"));
 *      Context context = new Context(model);
 *      Sampler sampler = new Sampler()) {
 *     for (Chunk chunk : context.generate(sampler, "Once upon a time")) System.out.print(chunk.text());
 * }
 * }</pre>
 *
 * <p><b>Threads.</b> A {@link org.libllm.Model}, its {@link org.libllm.Tokenizer} and its
 * {@link org.libllm.ChatTemplate} may be used by any number of threads at the same time. A {@link org.libllm.Context},
 * {@link org.libllm.Sampler}, {@link org.libllm.Batch} or {@link org.libllm.Generation} belongs to one thread at a
 * time, any thread: a second one that enters meanwhile gets an {@link org.libllm.LlmException} with
 * {@link org.libllm.Status#BUSY}. Only {@code cancel()} and {@code close()} may be called from any thread. A virtual
 * thread keeps its carrier while it is inside a call.
 *
 * <p><b>Closing.</b> Whatever is {@link java.lang.AutoCloseable} holds memory outside the Java heap, which
 * {@code close()} frees. Closing twice does nothing, the order does not matter (a context keeps what it needs of its
 * model), and an object that another thread closes during a call is freed when the call ends. A closed object throws
 * {@link java.lang.IllegalStateException}. What was forgotten is freed after the garbage collector found it.
 *
 * <p><b>Errors</b> are unchecked {@link org.libllm.LlmException}s, whose {@link org.libllm.Status} says what to do and
 * whose message says where. A null argument is a {@link java.lang.NullPointerException}.
 *
 * <p><b>Text.</b> Strings become UTF-8; half a surrogate pair becomes U+FFFD. Text may hold NUL, names and paths may
 * not ({@link java.lang.IllegalArgumentException}). Bytes that are not UTF-8 can be given and taken as {@code byte[]}.
 */
package org.libllm;
