# Reads the version numbers from llm.h, the only place where they are written: sets LLM_VERSION ("0.1.0") and
# LLM_ABI_VERSION, the number in the SONAME.
file(STRINGS ${CMAKE_CURRENT_LIST_DIR}/../include/llm/llm.h llm_version_lines
    REGEX "^#define LLM_(VERSION_STRING|ABI_VERSION) ")
foreach(line IN LISTS llm_version_lines)
    if(line MATCHES "^#define LLM_VERSION_STRING \"([0-9.]+)\"")
        set(LLM_VERSION ${CMAKE_MATCH_1})
    elseif(line MATCHES "^#define LLM_ABI_VERSION ([0-9]+)")
        set(LLM_ABI_VERSION ${CMAKE_MATCH_1})
    endif()
endforeach()
