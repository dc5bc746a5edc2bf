llm_add_test(kernels_matmul_test
    SOURCES matmul_test.cpp matmul_reference.cpp ../support/guarded_buffer.cpp ../support/weight_rows.cpp
    MODULES kernels
    LABELS kernels)
