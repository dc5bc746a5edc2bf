find_package(nlohmann_json 3.11 REQUIRED)

foreach(name IN ITEMS architecture_test quant_test)
    llm_add_test(${name} SOURCES ${name}.cpp MODULES gguf LIBRARY LABELS golden)
endforeach()
find_package(Python3 REQUIRED COMPONENTS Interpreter)
add_test(NAME variants_test
    COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/variants_test.py $<TARGET_FILE:llm>)
add_test(NAME decoders_test
    COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/decoders_test.py $<TARGET_FILE:llm>)
set(python_tests variants_test decoders_test)
if(TARGET llm-cli)
    add_test(NAME encoders_test
        COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/encoders_test.py
            $<TARGET_FILE:llm> $<TARGET_FILE:llm-cli>)
    list(APPEND python_tests encoders_test)
endif()
set_tests_properties(${python_tests} PROPERTIES LABELS golden SKIP_REGULAR_EXPRESSION "SKIPPED:" TIMEOUT 600)
foreach(name IN ITEMS smollm2_test gemma3_test)
    llm_add_test(${name} SOURCES ${name}.cpp real_model.cpp LIBRARY LABELS golden model)
    target_link_libraries(${name} PRIVATE nlohmann_json::nlohmann_json)
endforeach()
set(ways ${PROJECT_SOURCE_DIR}/tests/support/evaluation_ways.cpp)
llm_add_test(smollm2_determinism_test SOURCES smollm2_determinism_test.cpp ${ways} MODULES engine LABELS golden model)
llm_add_test(rounded_gelu_test SOURCES rounded_gelu_test.cpp ${ways} MODULES engine LABELS golden)
llm_add_test(architecture_determinism_test SOURCES architecture_determinism_test.cpp ${ways} MODULES engine
    LABELS golden)
llm_add_test(real_memory_test SOURCES real_memory_test.cpp LIBRARY LABELS golden model)
llm_add_test(smollm2_resources_test SOURCES smollm2_resources_test.cpp LIBRARY LABELS golden model)
