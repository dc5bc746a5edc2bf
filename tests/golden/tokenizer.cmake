find_package(nlohmann_json 3.11 REQUIRED)

foreach(name IN ITEMS tokenizer_test tokenizer_models_test)
    llm_add_test(${name} SOURCES ${name}.cpp MODULES tokenizer LABELS golden)
    target_link_libraries(${name} PRIVATE nlohmann_json::nlohmann_json)
endforeach()
set_property(TEST tokenizer_models_test APPEND PROPERTY LABELS model)
