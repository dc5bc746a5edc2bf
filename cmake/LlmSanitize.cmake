# LLM_SANITIZE: empty, or a list for -fsanitize= ("address,undefined", "thread"), applied to everything.
if(LLM_SANITIZE)
    add_compile_options(-fsanitize=${LLM_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
    add_link_options(-fsanitize=${LLM_SANITIZE})
endif()
