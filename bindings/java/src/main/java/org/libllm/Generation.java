package org.libllm;

import java.nio.charset.StandardCharsets;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Objects;
import java.util.Spliterator;
import java.util.Spliterators;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.libllm.internal.Handle;
import org.libllm.internal.Raw;
import org.libllm.internal.RawConstants;
import org.libllm.internal.Structs;

/**
 * A text that is being generated, chunk by chunk, in the thread that asks for the next one. It belongs to one thread at
 * a time; only {@link #cancel()} and {@link #close()} may be called from any.
 *
 * <p>Chunks hold whole characters; all of them together are the text. The last one says why it ended, and then the
 * generation is closed. Of one that is not iterated to its end, {@code close()} frees the memory. The sequence keeps
 * the prompt and all tokens that were evaluated.
 */
public final class Generation implements Iterator<Chunk>, Iterable<Chunk>, AutoCloseable {
    private final Context context;
    private final Handle handle;
    private final long chunk;
    private byte[] buffer = new byte[256];
    private FinishReason finishReason = FinishReason.NONE;

    Generation(Context context, Sampler sampler, int[] prompt, GenerationOptions options) {
        Objects.requireNonNull(prompt, "prompt");
        this.context = context;
        long pointer = context.handle().callAlone(rawContext -> sampler.handle().callAlone(
                rawSampler -> options.<Long>apply(raw -> Raw.llm_generation_start(
                        rawContext, rawSampler, prompt, Raw.raw_generation_options(raw)))));
        long made = Raw.new_llm_chunk();
        handle = new Handle("generation", pointer, generation -> {
            Raw.llm_generation_close(generation);
            Raw.delete_llm_chunk(made);
        });
        chunk = Structs.made(made);
    }

    /** {@return whether there is a further chunk} */
    @Override
    public boolean hasNext() {
        return finishReason == FinishReason.NONE && !handle.isClosed();
    }

    /**
     * Generates the next token and gives the text that has become certain.
     *
     * @return the chunk
     * @throws CancelledException by {@link #cancel()}; the generation may go on afterwards
     * @throws LlmException as {@link Context#eval(int, int[])} and {@link Sampler#sample(Context)}; the generation is
     *     as before
     * @throws NoSuchElementException after the last chunk
     */
    @Override
    public Chunk next() {
        if (finishReason != FinishReason.NONE) throw new NoSuchElementException("the generation has ended");
        Chunk next = context.handle().alone(() -> handle.callAlone(this::step));
        finishReason = next.finishReason();
        if (finishReason != FinishReason.NONE) handle.close();
        return next;
    }

    private Chunk step(long generation) {
        if (Raw.llm_generation_next(chunk, generation) == RawConstants.LLM_END)
            throw new NoSuchElementException("the generation has ended");
        long length = Raw.raw_chunk_text(buffer, chunk);
        if (length > buffer.length) {
            buffer = new byte[Math.toIntExact(length)];
            Raw.raw_chunk_text(buffer, chunk);
        }
        int count = (int) Raw.llm_chunk_top_count_get(chunk);
        List<TokenLogprob> top = count == 0 ? List.of()
                : Context.pairs(count, (tokens, logprobs) -> Raw.raw_chunk_top(tokens, logprobs, chunk));
        return new Chunk(new String(buffer, 0, (int) length, StandardCharsets.UTF_8), Raw.llm_chunk_token_get(chunk),
                FinishReason.values()[Raw.llm_chunk_finish_reason_get(chunk)], Raw.llm_chunk_logprob_get(chunk), top);
    }

    /** {@return this generation, which can be iterated once} */
    @Override
    public Iterator<Chunk> iterator() {
        return this;
    }

    /** {@return the chunks as a stream} Closing the stream closes the generation. */
    public Stream<Chunk> stream() {
        int characteristics = Spliterator.ORDERED | Spliterator.NONNULL;
        return StreamSupport.stream(Spliterators.spliteratorUnknownSize(this, characteristics), false)
                .onClose(this::close);
    }

    /** {@return the text of all chunks that are still to come} It generates to the end. */
    public String text() {
        StringBuilder text = new StringBuilder();
        while (hasNext()) text.append(next().text());
        return text.toString();
    }

    /** {@return why it has ended, or {@link FinishReason#NONE}} */
    public FinishReason finishReason() {
        return finishReason;
    }

    /** Makes the step that is running, or else the next one, throw a {@link CancelledException}. From any thread. */
    public void cancel() {
        context.cancel();
    }

    @Override
    public void close() {
        handle.close();
    }
}
