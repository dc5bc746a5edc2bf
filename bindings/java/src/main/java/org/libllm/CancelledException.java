package org.libllm;

/** {@link Context#cancel()} stopped a call. Everything is as before the call, which may be made again. */
public class CancelledException extends LlmException {
    private static final long serialVersionUID = 1;

    /** Makes an exception. */
    public CancelledException() {
        super(Status.CANCELLED, "the call was cancelled");
    }
}
