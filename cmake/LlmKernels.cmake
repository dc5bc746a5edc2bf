# llm_add_kernel_tier(TIER FLAGS flag... SOURCES file...)
#
# The kernels of one instruction set: an object library with flags of its own. This is the only place where the
# library is compiled with CPU flags; everything else uses the compiler's baseline, so that it loads on any machine.
function(llm_add_kernel_tier tier)
    cmake_parse_arguments(ARG "" "" "FLAGS;SOURCES" ${ARGN})
    add_library(llm_kernels_${tier} OBJECT ${ARG_SOURCES})
    target_compile_options(llm_kernels_${tier} PRIVATE ${ARG_FLAGS})
    target_include_directories(llm_kernels_${tier} PRIVATE ${PROJECT_SOURCE_DIR}/include)
    target_link_libraries(llm_kernels_${tier} PRIVATE llm_warnings llm_kernels_interface)
    set_property(GLOBAL APPEND PROPERTY LLM_MODULES llm_kernels_${tier})
    set_property(TARGET llm_kernels APPEND PROPERTY LLM_PARTS llm_kernels_${tier})
endfunction()
