/** Runs large language models from GGUF files on the CPU, inside your own program. */
module org.libllm {
    exports org.libllm;
}
