package org.libllm;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import org.libllm.internal.Buffers;
import org.libllm.internal.Handle;
import org.libllm.internal.Raw;
import org.libllm.internal.Structs;

/**
 * Sequences of tokens that are being evaluated, and what the model remembers of them. It belongs to one thread at a
 * time; only {@link #cancel()}, {@link #info()} and {@link #close()} may be called from any.
 *
 * <p>Evaluation is all or nothing: after an exception a sequence is as it was before the call.
 */
public final class Context implements AutoCloseable {
    private static final int NORMALIZE = 1;

    private final Handle handle;
    private final Model model;
    private final int vocabularySize;
    private final int embeddingLength;

    /**
     * Makes a context with the defaults, to be closed.
     *
     * @param model an open model, which may be closed before the context
     * @throws LlmException NO_MEMORY, or STATE when the model was opened without weights
     */
    public Context(Model model) {
        this(model, ContextOptions.DEFAULTS);
    }

    /**
     * Makes a context, to be closed.
     *
     * @param model an open model, which may be closed before the context
     * @param options what it can hold, and how it computes
     * @throws LlmException NO_MEMORY, or STATE when the model was opened without weights
     */
    public Context(Model model, ContextOptions options) {
        this.model = model;
        embeddingLength = model.info().embeddingLength();
        handle = new Handle("context", model.handle().<Long>call(rawModel -> options.<Long>apply(
                raw -> Raw.llm_context_new(rawModel, Raw.raw_context_options(raw)))), Raw::llm_context_close);
        vocabularySize = info().vocabularySize();
    }

    /** For other classes of this package. */
    Handle handle() {
        return handle;
    }

    /** {@return the model that it was made for} */
    public Model model() {
        return model;
    }

    /** {@return the values that are in force} */
    public ContextInfo info() {
        return handle.call(context -> Structs.with(Raw.new_llm_context_info(), Raw::delete_llm_context_info, info -> {
            Raw.llm_context_get_info(info, context);
            return new ContextInfo(Raw.llm_context_info_cache_bytes_get(info),
                    Raw.llm_context_info_scratch_bytes_get(info),
                    (int) Raw.llm_context_info_context_length_get(info),
                    (int) Raw.llm_context_info_batch_size_get(info), (int) Raw.llm_context_info_threads_get(info),
                    (int) Raw.llm_context_info_max_sequences_get(info),
                    (int) Raw.llm_context_info_vocabulary_size_get(info));
        }));
    }

    /** {@return what it has done so far} */
    public ContextCounters counters() {
        return handle.callAlone(
                context -> Structs.with(Raw.new_llm_context_counters(), Raw::delete_llm_context_counters, counters -> {
                    Raw.llm_context_get_counters(counters, context);
                    return new ContextCounters(Raw.llm_context_counters_prompt_tokens_get(counters),
                            Raw.llm_context_counters_prompt_nanoseconds_get(counters),
                            Raw.llm_context_counters_single_tokens_get(counters),
                            Raw.llm_context_counters_single_nanoseconds_get(counters),
                            Raw.llm_context_counters_reused_tokens_get(counters),
                            Raw.llm_context_counters_evaluations_get(counters),
                            Raw.llm_context_counters_first_token_nanoseconds_get(counters),
                            Raw.llm_context_counters_longest_sequence_get(counters));
                }));
    }

    /** Sets all counters to 0. */
    public void resetCounters() {
        handle.callAlone(Raw::llm_context_reset_counters);
    }

    /**
     * Changes the number of threads that compute. Results stay the same.
     *
     * @param threads their number; 0 for the machine's default
     */
    public void setThreads(int threads) {
        handle.callAlone(context -> Raw.llm_context_set_threads(context, threads));
    }

    /**
     * Continues sequence 0 after a prompt.
     *
     * @param sampler that chooses the tokens
     * @param prompt a text, which is tokenized with the model's begin token; the model must still be open
     * @return the generation, which evaluates when it is iterated
     */
    public Generation generate(Sampler sampler, String prompt) {
        return generate(sampler, model.tokenizer().encode(prompt), GenerationOptions.DEFAULTS);
    }

    /**
     * Continues a sequence after a prompt.
     *
     * @param sampler that chooses the tokens
     * @param prompt ids; may be empty when the last evaluation gave the sequence's last token logits
     * @param options which sequence, and where it ends
     * @return the generation, which evaluates when it is iterated
     * @throws LlmException STATE when there is neither prompt nor logits
     */
    public Generation generate(Sampler sampler, int[] prompt, GenerationOptions options) {
        return new Generation(this, sampler, prompt, options);
    }

    /**
     * Appends tokens to a sequence and evaluates them, with logits of the last one.
     *
     * @param sequence from 0
     * @param tokens ids
     * @throws LlmException CONTEXT_FULL, ARGUMENT, STATE or BUSY
     * @throws CancelledException by {@link #cancel()}
     */
    public void eval(int sequence, int[] tokens) {
        eval(sequence, tokens, Logits.LAST);
    }

    /**
     * Appends tokens to a sequence and evaluates them.
     *
     * @param sequence from 0
     * @param tokens ids
     * @param logits of which tokens logits are kept
     * @throws LlmException CONTEXT_FULL, ARGUMENT, STATE or BUSY
     * @throws CancelledException by {@link #cancel()}
     */
    public void eval(int sequence, int[] tokens, Logits logits) {
        Objects.requireNonNull(tokens, "tokens");
        handle.callAlone(context -> Raw.llm_eval(context, sequence, tokens, logits.ordinal()));
    }

    /**
     * Evaluates the tokens of a batch. The batch stays as it is and may be evaluated again.
     *
     * @param batch tokens of several sequences
     * @throws LlmException CONTEXT_FULL, ARGUMENT, STATE or BUSY
     * @throws CancelledException by {@link #cancel()}
     */
    public void eval(Batch batch) {
        handle.callAlone(context -> batch.handle().callAlone(rawBatch -> Raw.llm_eval_batch(context, rawBatch)));
    }

    /**
     * Makes the evaluation, the step of a generation, or the embedding that is running in this context throw a
     * {@link CancelledException} soon; without a running one, the next does. From any thread, and at any time: when the
     * context is closed, nothing happens.
     */
    public void cancel() {
        handle.callIfOpen(Raw::llm_cancel);
    }

    /**
     * Copies logits of the last evaluation.
     *
     * @param row of logits, -1 for the last
     * @return one number for each token of the vocabulary
     * @throws LlmException STATE when there are none, ARGUMENT for a row outside
     */
    public float[] logits(int row) {
        return handle.callAlone(
                context -> Buffers.floats(vocabularySize, out -> Raw.raw_logits(out, context, row)));
    }

    /**
     * Finds the most probable tokens of the last evaluation, no sampler applied.
     *
     * @param row of logits, -1 for the last
     * @param count how many
     * @return the best first
     * @throws LlmException STATE when there are no logits, ARGUMENT for a row outside, or NONFINITE
     */
    public List<TokenLogprob> logprobs(int row, int count) {
        if (count < 0) throw new LlmException(Status.ARGUMENT, "count is " + count + "; it must not be negative");
        int possible = Math.min(count, vocabularySize);
        return handle.callAlone(context -> pairs(
                possible, (tokens, logprobs) -> Raw.raw_logprobs(tokens, logprobs, context, row)));
    }

    /** What a native call writes to two arrays that returns the number of pairs. */
    interface PairCall {
        long write(int[] tokens, float[] logprobs);
    }

    static List<TokenLogprob> pairs(int capacity, PairCall call) {
        int[] tokens = new int[capacity];
        float[] logprobs = new float[capacity];
        long count = call.write(tokens, logprobs);
        List<TokenLogprob> pairs = new ArrayList<>();
        for (int i = 0; i < count; ++i) pairs.add(new TokenLogprob(tokens[i], logprobs[i]));
        return Collections.unmodifiableList(pairs);
    }

    /**
     * Counts the tokens of a sequence.
     *
     * @param sequence from 0
     * @return their number
     */
    public int length(int sequence) {
        return handle.callAlone(context -> (int) Raw.llm_sequence_length(context, sequence));
    }

    /**
     * Shortens a sequence to its first tokens.
     *
     * @param sequence from 0
     * @param length how many
     * @throws LlmException ARGUMENT when it is shorter already; STATE when layers with a sliding window no longer have
     *     what the next token needs
     */
    public void truncate(int sequence, int length) {
        if (length < 0) throw new LlmException(Status.ARGUMENT, "length is " + length + "; it must not be negative");
        handle.callAlone(context -> Raw.llm_sequence_truncate(context, sequence, length));
    }

    /**
     * Empties a sequence.
     *
     * @param sequence from 0
     */
    public void remove(int sequence) {
        handle.callAlone(context -> Raw.llm_sequence_remove(context, sequence));
    }

    /**
     * Makes a sequence a copy of another; what it was before is removed. Memory is shared until they go different ways.
     *
     * @param from the original
     * @param to the copy
     */
    public void fork(int from, int to) {
        handle.callAlone(context -> Raw.llm_sequence_fork(context, from, to));
    }

    /**
     * Shortens a sequence to the beginning that it has in common with a text, so that only the rest is still to be
     * evaluated.
     *
     * @param sequence from 0
     * @param tokens the whole text
     * @return the length of the common beginning, less than that of the text
     */
    public int reusePrefix(int sequence, int[] tokens) {
        Objects.requireNonNull(tokens, "tokens");
        return handle.callAlone(context -> (int) Raw.llm_sequence_reuse_prefix(context, sequence, tokens));
    }

    /**
     * Saves a sequence, to go on with it later or elsewhere.
     *
     * @param sequence from 0
     * @return the bytes
     * @throws LlmException LIMIT when they do not fit into an array: save to a file then
     */
    public byte[] saveState(int sequence) {
        return handle.callAlone(context -> Buffers.bytes(0, out -> Raw.llm_state_save(out, context, sequence)));
    }

    /**
     * Saves a sequence to a file. A file that was there before stays whole when it fails.
     *
     * @param sequence from 0
     * @param file its path
     * @throws LlmException IO
     */
    public void saveState(int sequence, Path file) {
        byte[] name = Buffers.name(file.toString());
        handle.callAlone(context -> Raw.llm_state_save_file(context, sequence, name));
    }

    /**
     * Replaces a sequence by a saved one, which then goes on with the same results. The bytes may come from anywhere:
     * whatever they are, the sequence is replaced or as it was before.
     *
     * @param sequence from 0
     * @param state what {@link #saveState(int)} gave
     * @throws LlmException TRUNCATED, MALFORMED, UNSUPPORTED; MODEL when it is of another model; STATE for other cache
     *     types; CONTEXT_FULL
     */
    public void restoreState(int sequence, byte[] state) {
        Objects.requireNonNull(state, "state");
        handle.callAlone(context -> Raw.llm_state_restore(context, sequence, state));
    }

    /**
     * Replaces a sequence by one that was saved to a file.
     *
     * @param sequence from 0
     * @param file its path
     * @throws LlmException IO, and as for bytes
     */
    public void restoreState(int sequence, Path file) {
        byte[] name = Buffers.name(file.toString());
        handle.callAlone(context -> Raw.llm_state_restore_file(context, sequence, name));
    }

    /**
     * Computes the embedding of an input with an encoder. No sequence changes.
     *
     * @param tokens ids, with the model's special tokens, as {@link Tokenizer#encode(String)} gives them
     * @param pooling how the vectors of the tokens become one
     * @param normalize whether each vector is divided by its length, so that a dot product is the cosine
     * @return as many numbers as {@link ModelInfo#embeddingLength()}; with {@link Pooling#NONE} times the tokens
     * @throws LlmException STATE when the model is no encoder; CONTEXT_FULL when there are more tokens than the batch
     *     size
     * @throws CancelledException by {@link #cancel()}
     */
    public float[] embed(int[] tokens, Pooling pooling, boolean normalize) {
        Objects.requireNonNull(tokens, "tokens");
        long length = pooling == Pooling.NONE ? (long) embeddingLength * tokens.length : embeddingLength;
        return handle.callAlone(context -> Buffers.floats(Buffers.guess(length),
                out -> Raw.llm_embed(out, context, tokens, pooling.ordinal(), normalize ? NORMALIZE : 0)));
    }

    /** Frees the context. Generations that are open may go on. */
    @Override
    public void close() {
        handle.close();
    }
}
