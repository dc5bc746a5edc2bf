// Kinds of errors.
using LibLlm.Native;

namespace LibLlm
{
    /// <summary>What kind of error an <see cref="LlmException"/> is. The numbers are those of the C library.</summary>
    public enum Status
    {
        /// <summary>An argument or an option's value is unknown or outside its range.</summary>
        Argument = raw.LLM_ERROR_ARGUMENT,
        /// <summary>The native library is older than what the options ask for.</summary>
        TooNew = raw.LLM_ERROR_TOO_NEW,
        /// <summary>Another thread is inside the object. Use it from one thread at a time.</summary>
        Busy = raw.LLM_ERROR_BUSY,
        /// <summary>The object is not in the state that the call needs, for instance has no logits yet.</summary>
        State = raw.LLM_ERROR_STATE,
        /// <summary>There is no option, metadata key or template of that name.</summary>
        NotFound = raw.LLM_ERROR_NOT_FOUND,
        /// <summary>Native memory has run out, or a limit on it was set. Nothing has changed.</summary>
        NoMemory = raw.LLM_ERROR_NO_MEMORY,
        /// <summary>A file cannot be opened, read or written.</summary>
        Io = raw.LLM_ERROR_IO,
        /// <summary>The file is no GGUF file.</summary>
        NotGguf = raw.LLM_ERROR_NOT_GGUF,
        /// <summary>The file or saved state ends too early.</summary>
        Truncated = raw.LLM_ERROR_TRUNCATED,
        /// <summary>The file or saved state contradicts itself or its format.</summary>
        Malformed = raw.LLM_ERROR_MALFORMED,
        /// <summary>Valid, but not supported by this build.</summary>
        Unsupported = raw.LLM_ERROR_UNSUPPORTED,
        /// <summary>The model's numbers or tensors are missing or do not fit together.</summary>
        Model = raw.LLM_ERROR_MODEL,
        /// <summary>The tokenizer's data is missing or does not fit, or cannot express a text.</summary>
        Vocabulary = raw.LLM_ERROR_VOCABULARY,
        /// <summary>The chat template is wrong, or refuses the conversation.</summary>
        Template = raw.LLM_ERROR_TEMPLATE,
        /// <summary>The sequence has no room for the tokens; nothing was evaluated.</summary>
        ContextFull = raw.LLM_ERROR_CONTEXT_FULL,
        /// <summary>The logits are not finite, so that nothing can be chosen from them.</summary>
        NonFinite = raw.LLM_ERROR_NONFINITE,
        /// <summary>A limit of the library was exceeded.</summary>
        Limit = raw.LLM_ERROR_LIMIT,
        /// <summary>The function was left out of this build of the native library.</summary>
        NotBuilt = raw.LLM_ERROR_NOT_BUILT,
        /// <summary>A defect of the library; please report it.</summary>
        Internal = raw.LLM_ERROR_INTERNAL
    }
}
