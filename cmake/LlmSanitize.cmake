# LLM_SANITIZE: empty, or a list for -fsanitize= ("address,undefined", "thread"), applied to everything.
if(LLM_SANITIZE)
    add_compile_options(-fsanitize=${LLM_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer
        # What a sanitizer inserts hides from GCC that a value has been set, or is within bounds.
        $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized$<SEMICOLON>-Wno-stringop-overflow>)
    add_link_options(-fsanitize=${LLM_SANITIZE})
endif()
