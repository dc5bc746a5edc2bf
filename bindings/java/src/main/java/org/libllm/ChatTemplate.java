package org.libllm;

import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import org.libllm.internal.Buffers;
import org.libllm.internal.Json;
import org.libllm.internal.Raw;

/**
 * Turns a conversation into a prompt, as the model was trained for. Any number of threads may use it, as long as the
 * model is open.
 *
 * <p>A request is a JSON object: "messages", objects with "role", "content" and whatever else the template knows;
 * "tools" and "documents"; "add_generation_prompt", whether the prompt ends with the beginning of the assistant's turn
 * (default true); and further variables of the template.
 *
 * <p>All methods throw an {@link LlmException}: ARGUMENT for a request that is no such JSON, TEMPLATE, NOT_FOUND when
 * there is no template, LIMIT, STATE, VOCABULARY, or NOT_BUILT when the library was built without templates.
 */
public final class ChatTemplate {
    private final Model model;
    private final ChatOptions options;

    ChatTemplate(Model model, ChatOptions options) {
        this.model = model;
        this.options = Objects.requireNonNull(options, "options");
    }

    /**
     * Makes the prompt of a conversation, ready for {@link Context#generate}.
     *
     * @param messages the conversation
     * @return the ids
     */
    public int[] tokenize(List<ChatMessage> messages) {
        return tokenize(request(messages));
    }

    /**
     * Makes the prompt of a request, ready for {@link Context#generate}.
     *
     * @param request JSON
     * @return the ids
     */
    public int[] tokenize(String request) {
        byte[] json = Buffers.utf8(request);
        return model.handle().call(handle -> options.apply(raw -> Buffers.tokens(Buffers.guess(json.length / 2 + 256L),
                out -> Raw.llm_chat_tokenize(out, handle, json, Raw.raw_chat_options(raw)))));
    }

    /**
     * Makes the prompt of a conversation as text, to look at: it does not say any more who wrote what.
     *
     * @param messages the conversation
     * @return the text
     */
    public String render(List<ChatMessage> messages) {
        return render(request(messages));
    }

    /**
     * Makes the prompt of a request as text, to look at: it does not say any more who wrote what.
     *
     * @param request JSON
     * @return the text
     */
    public String render(String request) {
        byte[] json = Buffers.utf8(request);
        return model.handle().call(handle -> options.apply(raw -> Buffers.string(Buffers.guess(json.length + 1024L),
                out -> Raw.llm_chat_render(out, handle, json, Raw.raw_chat_options(raw)))));
    }

    private static String request(List<ChatMessage> messages) {
        return messages.stream()
                .map(message -> "{\"role\": " + Json.quote(message.role()) + ", \"content\": "
                        + Json.quote(message.content()) + "}")
                .collect(Collectors.joining(", ", "{\"messages\": [", "]}"));
    }
}
