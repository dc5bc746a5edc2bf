# llm_add_test(NAME SOURCES file... [MODULES module...] [LIBRARY] [LABELS label...])
#
# A Boost.Test program and its ctest entry. MODULES links the named folders of src, and what they depend on, directly;
# LIBRARY links the shared library and so sees only the public header. A test that needs data which is not there
# prints a line that starts with "SKIPPED:" and is then counted as skipped.
function(llm_add_test name)
    cmake_parse_arguments(ARG "LIBRARY" "" "SOURCES;MODULES;LABELS" ${ARGN})
    add_executable(${name} ${ARG_SOURCES})
    target_compile_definitions(${name} PRIVATE BOOST_TEST_DYN_LINK BOOST_TEST_MODULE=${name}
        LLM_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
    target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/tests)
    target_link_libraries(${name} PRIVATE llm_warnings Boost::unit_test_framework)
    if(ARG_MODULES)
        llm_link_modules(${name} ${ARG_MODULES})
    endif()
    if(ARG_LIBRARY)
        target_link_libraries(${name} PRIVATE llm)
    endif()
    llm_add_test_run(${name} ${name} LABELS ${ARG_LABELS})
endfunction()

# llm_add_test_run(NAME PROGRAM [LABELS label...] [ENVIRONMENT variable=value...])
#
# One more ctest entry for a program, for instance under another kernel tier (LLM_CPU=scalar).
function(llm_add_test_run name program)
    cmake_parse_arguments(ARG "" "" "LABELS;ENVIRONMENT" ${ARGN})
    string(REPLACE "," ";" sanitizers "${LLM_SANITIZE}")
    set(no_memory allocator_may_return_null=1)  # a request that is too large fails as it does without a sanitizer
    if("thread" IN_LIST sanitizers)
        set(suppressions suppressions=${PROJECT_SOURCE_DIR}/tests/support/tsan.supp)
        list(APPEND ARG_ENVIRONMENT "TSAN_OPTIONS=${suppressions} history_size=7 ${no_memory}")
    endif()
    if("address" IN_LIST sanitizers)
        list(APPEND ARG_ENVIRONMENT ASAN_OPTIONS=${no_memory})
    endif()
    add_test(NAME ${name} COMMAND ${program})
    set_tests_properties(${name} PROPERTIES LABELS "${ARG_LABELS}" ENVIRONMENT "${ARG_ENVIRONMENT}"
        SKIP_REGULAR_EXPRESSION "SKIPPED:" TIMEOUT 600)
endfunction()
