find_package(nlohmann_json 3.11 REQUIRED)

llm_add_test(tokenizer_golden_test SOURCES tokenizer_test.cpp MODULES tokenizer LABELS golden)
llm_add_test(tokenizer_smollm2_test SOURCES tokenizer_smollm2_test.cpp MODULES tokenizer LABELS golden model)
llm_add_test(tokenizer_gemma3_test SOURCES tokenizer_gemma3_test.cpp MODULES tokenizer LABELS golden model)
llm_add_test(pre_tokenizer_table_test SOURCES pre_tokenizer_table_test.cpp MODULES tokenizer LABELS golden)
foreach(name IN ITEMS tokenizer_golden_test tokenizer_smollm2_test tokenizer_gemma3_test pre_tokenizer_table_test)
    target_link_libraries(${name} PRIVATE nlohmann_json::nlohmann_json)
endforeach()
if(UNIX)
    llm_add_test(tokenizer_long_texts_test
        SOURCES tokenizer_long_texts_test.cpp ${PROJECT_SOURCE_DIR}/tests/unit/tokenizer/long_texts.cpp
        MODULES tokenizer LABELS golden)
endif()
