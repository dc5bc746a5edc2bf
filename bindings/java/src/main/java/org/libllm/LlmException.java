package org.libllm;

import java.util.Objects;
import org.libllm.internal.Buffers;

/** A call that failed. Its message is one line that names the place, the value and the limit. */
public class LlmException extends RuntimeException {
    private static final long serialVersionUID = 1;

    /** Why it failed. */
    private final Status status;

    /**
     * Makes an exception.
     *
     * @param status why the call failed
     * @param message the details
     */
    public LlmException(Status status, String message) {
        super(message);
        this.status = Objects.requireNonNull(status, "status");
    }

    /** {@return why the call failed} */
    public Status status() {
        return status;
    }

    /** {@return the class, the status and the message} */
    @Override
    public String toString() {
        return getClass().getName() + ": " + status + ": " + getMessage();
    }

    /** Called by native code, with the text of the library's error in UTF-8. */
    static LlmException of(int code, byte[] text) {
        Status status = Status.of(code);
        return status == Status.CANCELLED ? new CancelledException() : new LlmException(status, Buffers.text(text));
    }
}
