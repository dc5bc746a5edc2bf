llm_add_fuzzer(tokenizer tokenizer)
add_test(NAME fuzz_tokenizer_briefly COMMAND fuzz_tokenizer -max_total_time=20 -max_len=4096 -seed=1)
set_tests_properties(fuzz_tokenizer_briefly PROPERTIES LABELS fuzz)
