package org.libllm;

import java.util.Objects;

/**
 * A message of a conversation.
 *
 * @param role who says it: "system", "user", "assistant", or what else the template knows
 * @param content what is said
 */
public record ChatMessage(String role, String content) {
    /**
     * Makes a message.
     *
     * @param role who says it
     * @param content what is said
     */
    public ChatMessage {
        Objects.requireNonNull(role, "role");
        Objects.requireNonNull(content, "content");
    }

    /**
     * Makes an instruction.
     *
     * @param content what is said
     * @return a message with the role "system"
     */
    public static ChatMessage system(String content) {
        return new ChatMessage("system", content);
    }

    /**
     * Makes a message of the user.
     *
     * @param content what is said
     * @return a message with the role "user"
     */
    public static ChatMessage user(String content) {
        return new ChatMessage("user", content);
    }

    /**
     * Makes a message of the model.
     *
     * @param content what is said
     * @return a message with the role "assistant"
     */
    public static ChatMessage assistant(String content) {
        return new ChatMessage("assistant", content);
    }
}
