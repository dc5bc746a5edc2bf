llm_add_test(kernels_vector_test
    SOURCES vector_test.cpp ../support/guarded_buffer.cpp
    MODULES kernels
    LABELS kernels)
llm_add_test(kernels_attention_test
    SOURCES attention_test.cpp attention_case.cpp ../support/guarded_buffer.cpp
    MODULES kernels
    LABELS kernels)
