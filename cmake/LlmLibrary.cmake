# llm_add_library()
#
# The shared library `llm` (alias llm::llm), linked from all modules that were added before. It exports what
# libllm.map lists; whatever else is inside, static PCRE2 and templates of the standard library included, stays hidden,
# so that a program may hold other copies of the same libraries.
function(llm_add_library)
    get_property(modules GLOBAL PROPERTY LLM_MODULES)
    add_library(llm SHARED)
    add_library(llm::llm ALIAS llm)
    target_link_libraries(llm PRIVATE ${modules})
    target_include_directories(llm INTERFACE
        $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
        $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
    set_target_properties(llm PROPERTIES
        LINKER_LANGUAGE CXX
        SOVERSION ${LLM_ABI_VERSION}
        VERSION ${LLM_ABI_VERSION}.${PROJECT_VERSION_MINOR}.${PROJECT_VERSION_PATCH}
        INSTALL_RPATH $ORIGIN)  # finds a libtbb that is shipped beside it
    if(CMAKE_SYSTEM_NAME STREQUAL "Linux")
        llm_harden_library(llm ${modules})
    endif()
endfunction()

function(llm_harden_library target)
    foreach(module IN LISTS ARGN)  # else a unique symbol would be shared with other copies in the process
        target_compile_options(${module} PRIVATE $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-fno-gnu-unique>)
    endforeach()
    set(map ${PROJECT_SOURCE_DIR}/cmake/libllm.map)
    set_property(TARGET ${target} APPEND PROPERTY LINK_DEPENDS ${map})
    target_link_options(${target} PRIVATE
        LINKER:--version-script=${map} LINKER:--exclude-libs,ALL LINKER:-Bsymbolic-functions
        LINKER:-z,relro LINKER:-z,now LINKER:-z,nodelete)  # threads of the team outlive a dlclose()
    if(NOT LLM_SANITIZE)  # whose run-time library is found only when a program is linked
        target_link_options(${target} PRIVATE LINKER:--no-undefined)
    endif()
endfunction()
