set(tiny_gemma2 ${builder} ${PROJECT_SOURCE_DIR}/tests/support/tiny_gemma2.cpp)
llm_add_fuzzer(state engine ${tiny_gemma2})
add_executable(make_state_corpus make_state_corpus.cpp ${tiny_gemma2})
target_include_directories(make_state_corpus PRIVATE ${PROJECT_SOURCE_DIR}/tests)
llm_link_modules(make_state_corpus engine)
target_link_libraries(make_state_corpus PRIVATE llm_warnings)

set(state_corpus ${CMAKE_CURRENT_BINARY_DIR}/state_corpus)
add_test(NAME make_state_corpus COMMAND make_state_corpus ${state_corpus})
set_tests_properties(make_state_corpus PROPERTIES LABELS fuzz FIXTURES_SETUP state_corpus)
add_test(NAME replay_state COMMAND replay_state ${state_corpus})
add_test(NAME fuzz_state_briefly COMMAND fuzz_state -max_total_time=20 -max_len=65536 -len_control=0 -seed=1
    ${state_corpus})
set_tests_properties(replay_state fuzz_state_briefly PROPERTIES LABELS fuzz FIXTURES_REQUIRED state_corpus)
