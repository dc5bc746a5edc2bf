find_package(nlohmann_json 3.11 REQUIRED)

foreach(name IN ITEMS architecture_test quant_test)
    llm_add_test(${name} SOURCES ${name}.cpp MODULES gguf LIBRARY LABELS golden)
endforeach()
llm_add_test(smollm2_test SOURCES smollm2_test.cpp LIBRARY LABELS golden model)
target_link_libraries(smollm2_test PRIVATE nlohmann_json::nlohmann_json)
set(ways ${PROJECT_SOURCE_DIR}/tests/support/evaluation_ways.cpp)
llm_add_test(smollm2_determinism_test SOURCES smollm2_determinism_test.cpp ${ways} MODULES engine LABELS golden model)
llm_add_test(architecture_determinism_test SOURCES architecture_determinism_test.cpp ${ways} MODULES engine
    LABELS golden)
