package org.libllm;

/** What went wrong, by whose fault, and so what can be done. */
public enum Status {
    /** {@link Context#cancel()} stopped the call; everything is as before it. */
    CANCELLED(3),
    /** An argument or the value of an option is unknown or outside its range. */
    ARGUMENT(-10),
    /** The binding is newer than the library. */
    TOO_NEW(-11),
    /** Another thread is inside this object, which belongs to one thread at a time. */
    BUSY(-12),
    /** The object is not in the state that the call needs; there are no logits yet, for instance. */
    STATE(-13),
    /** There is no option, metadata key or template of that name. */
    NOT_FOUND(-14),
    /** An allocation failed. Nothing was changed; a smaller request may work. */
    NO_MEMORY(-20),
    /** A file cannot be opened, read or written; the message has the system's reason. */
    IO(-21),
    /** The file is not a GGUF file. */
    NOT_GGUF(-30),
    /** The file ends before what it announces. */
    TRUNCATED(-31),
    /** The file contradicts itself or the format. */
    MALFORMED(-32),
    /** The file is valid, but of a version, type, architecture or tokenizer that this build does not have. */
    UNSUPPORTED(-33),
    /** Hyper-parameters or tensors are missing or do not fit together. */
    MODEL(-34),
    /** The tokenizer's data is missing or does not fit together, or a text cannot be expressed in it. */
    VOCABULARY(-35),
    /** The chat template is wrong, or refuses the conversation. */
    TEMPLATE(-36),
    /** The sequence has no room for these tokens; nothing was evaluated. */
    CONTEXT_FULL(-40),
    /** Logits hold NaN or no finite value, so nothing can be chosen from them. */
    NONFINITE(-41),
    /** A documented limit was exceeded. */
    LIMIT(-42),
    /** The function was left out when the library was built. */
    NOT_BUILT(-50),
    /** A defect of the library: please report it. */
    INTERNAL(-90);

    private final int code;

    Status(int code) {
        this.code = code;
    }

    /** {@return the number that llm.h gives to this status} */
    public int code() {
        return code;
    }

    /** Unknown numbers, of a newer library, are INTERNAL. */
    static Status of(int code) {
        for (Status status : values())
            if (status.code == code) return status;
        return INTERNAL;
    }
}
