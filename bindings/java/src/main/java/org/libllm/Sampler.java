package org.libllm;

import java.util.Objects;
import org.libllm.internal.Handle;
import org.libllm.internal.Raw;

/** Chooses tokens. It belongs to one thread, and usually to one text, at a time. */
public final class Sampler implements AutoCloseable {
    private final Handle handle;

    /** Makes a sampler with the defaults, to be closed. */
    public Sampler() {
        this(SamplerOptions.DEFAULTS);
    }

    /**
     * Makes a sampler, to be closed.
     *
     * @param options how it chooses
     */
    public Sampler(SamplerOptions options) {
        this(options.<Long>apply(raw -> Raw.llm_sampler_new(Raw.raw_sampler_options(raw))));
    }

    private Sampler(long pointer) {
        handle = new Handle("sampler", pointer, Raw::llm_sampler_close);
    }

    /** For other classes of this package. */
    Handle handle() {
        return handle;
    }

    /** {@return a sampler that goes on as this one does, to be closed} */
    public Sampler copy() {
        return new Sampler(handle.<Long>callAlone(Raw::llm_sampler_clone));
    }

    /** {@return the seed in force, to repeat a run} */
    public long seed() {
        return handle.call(Raw::llm_sampler_seed);
    }

    /** Starts again from the seed, without tokens seen. */
    public void reset() {
        handle.callAlone(Raw::llm_sampler_reset);
    }

    /**
     * Tells the sampler of tokens that it did not choose, such as a prompt. Generations do that themselves.
     *
     * @param tokens ids
     */
    public void accept(int... tokens) {
        Objects.requireNonNull(tokens, "tokens");
        handle.callAlone(sampler -> Raw.llm_sampler_accept(sampler, tokens));
    }

    /**
     * Chooses a token by the last logits of a context, and accepts it.
     *
     * @param context that has evaluated something
     * @return the token
     * @throws LlmException STATE when there are no logits, or NONFINITE
     */
    public int sample(Context context) {
        return sample(context, -1);
    }

    /**
     * Chooses a token by a row of logits of a context, and accepts it.
     *
     * @param context that has evaluated something
     * @param row of logits, -1 for the last
     * @return the token
     * @throws LlmException STATE when there are no logits, ARGUMENT for a row outside, or NONFINITE
     */
    public int sample(Context context, int row) {
        return context.handle().callAlone(
                rawContext -> handle.callAlone(sampler -> (int) Raw.llm_sample(sampler, rawContext, row)));
    }

    @Override
    public void close() {
        handle.close();
    }
}
