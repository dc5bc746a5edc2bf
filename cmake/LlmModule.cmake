# llm_add_module(NAME SOURCES file... [DEPENDS module...] [LINK target...])
#
# One folder of src as an object library. Its headers are reachable as "NAME/header.h" only for the modules that name
# it in DEPENDS (and for what depends on those): an include against the order of src/README.md does not compile.
# All modules are collected in the global property LLM_MODULES, from which the library is linked.
function(llm_add_module name)
    cmake_parse_arguments(ARG "" "" "SOURCES;DEPENDS;LINK" ${ARGN})
    set(include_root ${CMAKE_BINARY_DIR}/include-roots/${name})
    file(MAKE_DIRECTORY ${include_root})
    file(CREATE_LINK ${CMAKE_CURRENT_SOURCE_DIR} ${include_root}/${name} SYMBOLIC)

    add_library(llm_${name} OBJECT ${ARG_SOURCES})
    target_include_directories(llm_${name} PUBLIC ${include_root} ${PROJECT_SOURCE_DIR}/include)
    target_compile_definitions(llm_${name} PRIVATE LLM_BUILD)
    list(TRANSFORM ARG_DEPENDS PREPEND llm_)
    target_link_libraries(llm_${name} PUBLIC ${ARG_DEPENDS} ${ARG_LINK} PRIVATE llm_warnings)
    set_property(GLOBAL APPEND PROPERTY LLM_MODULES llm_${name})
    # For llm_module_closure(): what must be linked with this module, and the object libraries it consists of.
    set_property(TARGET llm_${name} PROPERTY LLM_DEPENDS ${ARG_DEPENDS})
    set_property(TARGET llm_${name} APPEND PROPERTY LLM_PARTS llm_${name})
endfunction()

# Sets `out` to the object libraries of the given modules and of everything that they depend on.
function(llm_module_closure out)
    set(open ${ARGN})
    set(seen "")
    set(parts "")
    while(open)
        list(POP_FRONT open target)
        if(target IN_LIST seen)
            continue()
        endif()
        list(APPEND seen ${target})
        get_target_property(target_parts ${target} LLM_PARTS)
        list(APPEND parts ${target_parts})
        get_target_property(depends ${target} LLM_DEPENDS)
        if(depends)
            list(APPEND open ${depends})
        endif()
    endwhile()
    set(${out} ${parts} PARENT_SCOPE)
endfunction()

# llm_link_modules(TARGET module...)
#
# Puts the named folders of src, and what they depend on, into a program of the tests.
function(llm_link_modules target)
    list(TRANSFORM ARGN PREPEND llm_ OUTPUT_VARIABLE modules)
    llm_module_closure(parts ${modules})
    foreach(part IN LISTS parts)
        target_sources(${target} PRIVATE $<TARGET_OBJECTS:${part}>)
    endforeach()
    target_link_libraries(${target} PRIVATE ${modules})
endfunction()
