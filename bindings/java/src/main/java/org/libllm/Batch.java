package org.libllm;

import java.util.Objects;
import org.libllm.internal.Handle;
import org.libllm.internal.Raw;

/**
 * Tokens of several sequences that {@link Context#eval(Batch)} evaluates together, which takes hardly longer than one.
 * It belongs to no context, and to one thread at a time.
 */
public final class Batch implements AutoCloseable {
    private final Handle handle;

    /** Makes an empty batch, to be closed. */
    public Batch() {
        handle = new Handle("batch", Raw.llm_batch_new(), Raw::llm_batch_close);
    }

    /** For other classes of this package. */
    Handle handle() {
        return handle;
    }

    /**
     * Puts tokens at the end, with logits of the last one.
     *
     * @param sequence to which they will be appended
     * @param tokens ids, which are copied
     * @return the row of logits that the last one will have
     */
    public int add(int sequence, int[] tokens) {
        return add(sequence, tokens, Logits.LAST);
    }

    /**
     * Puts tokens at the end.
     *
     * @param sequence to which they will be appended
     * @param tokens ids, which are copied
     * @param logits of which of them logits are kept
     * @return the first row of logits that they will have
     */
    public int add(int sequence, int[] tokens, Logits logits) {
        Objects.requireNonNull(tokens, "tokens");
        return handle.callAlone(batch -> (int) Raw.llm_batch_add(batch, sequence, tokens, logits.ordinal()));
    }

    /** Empties the batch. */
    public void clear() {
        handle.callAlone(Raw::llm_batch_clear);
    }

    @Override
    public void close() {
        handle.close();
    }
}
