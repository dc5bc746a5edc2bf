# Warnings for our own code, as a target that modules and tests link; LLM_WERROR makes them errors.
add_library(llm_warnings INTERFACE)
target_compile_options(llm_warnings INTERFACE
    -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Wundef -Wvla
    # The library promises the same bits everywhere: the compiler may not fuse or reorder arithmetic on its own.
    -ffp-contract=off -fno-math-errno
    $<$<BOOL:${LLM_WERROR}>:-Werror>)
