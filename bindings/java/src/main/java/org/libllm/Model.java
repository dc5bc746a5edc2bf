package org.libllm;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.libllm.internal.Buffers;
import org.libllm.internal.Handle;
import org.libllm.internal.Metadata;
import org.libllm.internal.Raw;
import org.libllm.internal.Structs;

/**
 * An open model. It is immutable: any number of threads may use it at the same time, each with its own
 * {@link Context}.
 */
public final class Model implements AutoCloseable {
    private final Handle handle;

    private Model(long pointer) {
        handle = new Handle("model", pointer, Raw::llm_model_close);
    }

    /**
     * Opens a file.
     *
     * @param path of the file; of a split model any part, the others beside it
     * @return the model, to be closed
     * @throws LlmException IO, NOT_GGUF, TRUNCATED, MALFORMED, UNSUPPORTED, MODEL, VOCABULARY or NO_MEMORY
     */
    public static Model open(Path path) {
        return open(path, ModelOptions.DEFAULTS);
    }

    /**
     * Opens a file.
     *
     * @param path of the file; of a split model any part, the others beside it
     * @param options how it is opened
     * @return the model, to be closed
     * @throws LlmException IO, NOT_GGUF, TRUNCATED, MALFORMED, UNSUPPORTED, MODEL, VOCABULARY or NO_MEMORY
     */
    public static Model open(Path path, ModelOptions options) {
        byte[] name = Buffers.name(path.toString());
        return new Model(options.<Long>apply(raw -> Raw.llm_model_open(name, Raw.raw_model_options(raw))));
    }

    /**
     * Opens a model that is in memory. The bytes are not needed afterwards.
     *
     * @param bytes a whole file
     * @param options how it is opened; not {@link ModelOptions.Load#MAPPED}
     * @return the model, to be closed
     * @throws LlmException as for a file
     */
    public static Model open(byte[] bytes, ModelOptions options) {
        Objects.requireNonNull(bytes, "bytes");
        if ("mapped".equals(options.value("load")))
            throw new LlmException(Status.ARGUMENT, "a model can be mapped from a file only, not from a byte array");
        return new Model(options.<Long>apply(raw -> Raw.llm_model_open_memory(bytes, Raw.raw_model_options(raw))));
    }

    /** For other classes of this package. */
    Handle handle() {
        return handle;
    }

    /** {@return facts about the model} */
    public ModelInfo info() {
        return handle.call(model -> Structs.with(Raw.new_llm_model_info(), Raw::delete_llm_model_info, info -> {
            Raw.llm_model_get_info(info, model);
            long capabilities = Raw.llm_model_info_capabilities_get(info);
            return new ModelInfo(Buffers.text(Raw.llm_model_info_architecture_get(info)),
                    Buffers.text(Raw.llm_model_info_name_get(info)), Buffers.text(Raw.llm_model_info_type_get(info)),
                    Buffers.text(Raw.llm_model_info_description_get(info)),
                    Raw.llm_model_info_parameter_count_get(info),
                    Raw.llm_model_info_file_size_get(info), Raw.llm_model_info_tensor_bytes_get(info),
                    Raw.llm_model_info_weight_bytes_get(info), (int) Raw.llm_model_info_vocabulary_size_get(info),
                    (int) Raw.llm_model_info_context_length_get(info),
                    (int) Raw.llm_model_info_embedding_length_get(info), (int) Raw.llm_model_info_layer_count_get(info),
                    (int) Raw.llm_model_info_head_count_get(info), (int) Raw.llm_model_info_head_count_kv_get(info),
                    (int) Raw.llm_model_info_head_length_get(info),
                    (int) Raw.llm_model_info_feed_forward_length_get(info),
                    (int) Raw.llm_model_info_file_count_get(info), (int) Raw.llm_model_info_expert_count_get(info),
                    (int) Raw.llm_model_info_expert_used_count_get(info), (capabilities & 1) != 0,
                    (capabilities & 2) != 0);
        }));
    }

    /**
     * {@return what the model needs and whether this build has it, as a JSON object} "runnable" is whether it could be
     * opened with its weights, "problem" the reason if not.
     */
    public String support() {
        return handle.call(model -> Buffers.string(1024, out -> Raw.llm_model_support(out, model)));
    }

    /**
     * Computes the memory that the model and a context take, without taking it.
     *
     * @param options of the context
     * @return the bytes
     */
    public MemoryEstimate memory(ContextOptions options) {
        return handle.call(model -> Structs.with(Raw.new_llm_memory(), Raw::delete_llm_memory, memory -> {
            options.apply(raw -> Raw.llm_memory_estimate(memory, model, Raw.raw_context_options(raw)));
            return new MemoryEstimate(Raw.llm_memory_weight_bytes_get(memory), Raw.llm_memory_mapped_bytes_get(memory),
                    Raw.llm_memory_cache_bytes_get(memory), Raw.llm_memory_scratch_bytes_get(memory),
                    (int) Raw.llm_memory_context_length_get(memory), (int) Raw.llm_memory_batch_size_get(memory),
                    (int) Raw.llm_memory_threads_get(memory), (int) Raw.llm_memory_max_sequences_get(memory));
        }));
    }

    /** {@return the names of the metadata, in the file's order} */
    public List<String> metadataKeys() {
        return handle.call(model -> {
            List<String> keys = new ArrayList<>();
            long count = Raw.llm_metadata_count(model);
            for (long i = 0; i < count; ++i) {
                long index = i;
                keys.add(Buffers.string(64, out -> Raw.raw_metadata_key(out, model, index)));
            }
            return Collections.unmodifiableList(keys);
        });
    }

    /**
     * Reads a metadata value: a {@link Long}, a {@link java.math.BigInteger} if it is past {@link Long#MAX_VALUE}, a
     * {@link Double}, {@link Boolean} or {@link String}, or a {@link List} of these.
     *
     * @param key its name
     * @return the value, or empty if the file has no such key
     */
    public Optional<Object> metadata(String key) {
        byte[] name = Buffers.name(key);
        try {
            return Optional.of(handle.call(model -> Metadata.read(model, name)));
        } catch (LlmException error) {
            if (error.status() == Status.NOT_FOUND) return Optional.empty();
            throw error;
        }
    }

    /** {@return the tensors, in the file's order} */
    public List<TensorInfo> tensors() {
        return handle.call(model -> {
            List<TensorInfo> tensors = new ArrayList<>();
            long count = Raw.llm_tensor_count(model);
            for (long i = 0; i < count; ++i) tensors.add(tensor(model, i));
            return Collections.unmodifiableList(tensors);
        });
    }

    private static TensorInfo tensor(long model, long index) {
        return Structs.with(Raw.new_llm_tensor(), Raw::delete_llm_tensor, tensor -> {
            Raw.llm_tensor_get(tensor, model, index);
            List<Long> shape = new ArrayList<>();
            long dimensions = Raw.llm_tensor_dimension_count_get(tensor);
            for (long i = 0; i < dimensions; ++i) shape.add(Raw.raw_tensor_dimension(tensor, i));
            return new TensorInfo(Buffers.text(Raw.llm_tensor_name_get(tensor)),
                    Buffers.text(Raw.llm_tensor_type_get(tensor)), Collections.unmodifiableList(shape),
                    Raw.llm_tensor_offset_get(tensor), Raw.llm_tensor_byte_count_get(tensor),
                    (int) Raw.llm_tensor_part_get(tensor));
        });
    }

    /** {@return what turns text into tokens and back} It is usable as long as the model is open. */
    public Tokenizer tokenizer() {
        return new Tokenizer(this);
    }

    /** {@return what turns a conversation into a prompt} It is usable as long as the model is open. */
    public ChatTemplate chatTemplate() {
        return chatTemplate(ChatOptions.DEFAULTS);
    }

    /**
     * Makes what turns a conversation into a prompt.
     *
     * @param options which template is used, and how
     * @return the template, usable as long as the model is open
     */
    public ChatTemplate chatTemplate(ChatOptions options) {
        return new ChatTemplate(this, options);
    }

    /** {@return the names of the chat templates in the file, in its order} The usual one is called "default". */
    public List<String> chatTemplateNames() {
        return handle.call(model -> {
            List<String> names = new ArrayList<>();
            try {
                for (long i = 0;; ++i) {
                    long index = i;
                    names.add(Buffers.string(64, out -> Raw.llm_chat_template_name(out, model, index)));
                }
            } catch (LlmException error) {
                if (error.status() != Status.NOT_FOUND) throw error;
            }
            return Collections.unmodifiableList(names);
        });
    }

    /**
     * Reads the source of a chat template.
     *
     * @param name one of {@link #chatTemplateNames()}
     * @return the source, in Jinja
     * @throws LlmException NOT_FOUND
     */
    public String chatTemplateSource(String name) {
        byte[] rawName = Buffers.name(name);
        return handle.call(model -> Buffers.string(4096, out -> Raw.llm_chat_template(out, model, rawName)));
    }

    /** Frees the model when the last context that uses it is closed. */
    @Override
    public void close() {
        handle.close();
    }
}
