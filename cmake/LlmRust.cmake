# Rust, which the folder `text` is partly written in.

# llm_find_rust(RESULT)
#
# Whether the Rust part is to be built. AUTO leaves it out, with a line that says so, when cargo is missing or too old
# or when the packages that it needs cannot be had; ON makes that an error.
function(llm_find_rust result)
    set(LLM_WITH_TEXT AUTO CACHE STRING "Chat templates, which need Rust: AUTO, ON or OFF")
    set_property(CACHE LLM_WITH_TEXT PROPERTY STRINGS AUTO ON OFF)
    find_program(LLM_CARGO cargo DOC "cargo, which builds the Rust part")
    set(${result} FALSE PARENT_SCOPE)
    if(NOT LLM_WITH_TEXT AND NOT LLM_WITH_TEXT STREQUAL "AUTO")
        message(STATUS "Chat templates: off (LLM_WITH_TEXT=${LLM_WITH_TEXT})")
        return()
    endif()
    llm_rust_obstacle(obstacle)
    if(NOT obstacle)
        message(STATUS "Chat templates: on (${LLM_CARGO})")
        set(${result} TRUE PARENT_SCOPE)
    elseif(LLM_WITH_TEXT STREQUAL "AUTO")
        message(WARNING "Chat templates: off, because ${obstacle}. The functions llm_chat_* will return "
            "LLM_ERROR_NOT_BUILT. On Debian 12: apt-get install rustc-web cargo-web")
    else()
        message(FATAL_ERROR "LLM_WITH_TEXT is ${LLM_WITH_TEXT}, but ${obstacle}")
    endif()
endfunction()

# What keeps the Rust part from being built; empty when nothing does.
function(llm_rust_obstacle result)
    set(oldest 1.85)
    set(${result} "" PARENT_SCOPE)
    if(NOT LLM_CARGO)
        set(${result} "cargo was not found" PARENT_SCOPE)
        return()
    endif()
    execute_process(COMMAND ${LLM_CARGO} --version OUTPUT_VARIABLE version RESULT_VARIABLE status ERROR_QUIET)
    string(REGEX MATCH "[0-9]+\\.[0-9]+\\.[0-9]+" version "${version}")
    if(NOT status EQUAL 0 OR NOT version OR version VERSION_LESS oldest)
        set(${result} "${LLM_CARGO} is version '${version}', at least ${oldest} is needed" PARENT_SCOPE)
        return()
    endif()
    execute_process(COMMAND ${LLM_CARGO} fetch --locked --quiet
        WORKING_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR} RESULT_VARIABLE status ERROR_VARIABLE reason)
    if(NOT status EQUAL 0)
        string(REGEX REPLACE "[\r\n].*" "" reason "${reason}")
        set(${result} "cargo cannot fetch the packages of Cargo.lock (${reason})" PARENT_SCOPE)
    endif()
endfunction()

# Where cargo keeps what it fetches.
function(llm_cargo_home result)
    if(DEFINED ENV{CARGO_HOME})
        set(${result} $ENV{CARGO_HOME} PARENT_SCOPE)
    else()
        set(${result} $ENV{HOME}/.cargo PARENT_SCOPE)
    endif()
endfunction()

# llm_install_rust_licenses(LOCKFILE DESTINATION COMPONENT)
#
# The licences of the packages of a Cargo.lock, under the names of the packages.
function(llm_install_rust_licenses lockfile destination component)
    llm_cargo_home(cargo_home)
    file(STRINGS ${lockfile} lines REGEX "^(name|version) = ")
    set(package "")
    foreach(line IN LISTS lines)
        string(REGEX REPLACE ".* = \"(.*)\"" "\\1" value "${line}")
        if(line MATCHES "^name")
            set(package ${value})
            continue()
        endif()
        file(GLOB files ${cargo_home}/registry/src/*/${package}-${value}/LICENSE*)
        foreach(file IN LISTS files)
            get_filename_component(name ${file} NAME)
            install(FILES ${file} DESTINATION ${destination} COMPONENT ${component} RENAME ${package}-${name})
        endforeach()
    endforeach()
endfunction()

# llm_add_rust_library(TARGET CRATE SOURCE...)
#
# The crate in the current folder as a static library for other targets to link. Its symbols are hidden in libllm like
# those of every archive (LlmLibrary.cmake).
function(llm_add_rust_library target crate)
    list(TRANSFORM ARGN PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/ OUTPUT_VARIABLE sources)
    set(folder ${CMAKE_CURRENT_BINARY_DIR}/cargo)
    set(archive ${folder}/release/lib${crate}.a)
    llm_cargo_home(cargo_home)
    # The library must not know where it was built, and must run on every processor of the family.
    set(flags "--remap-path-prefix=${cargo_home}=cargo --remap-path-prefix=${CMAKE_CURRENT_SOURCE_DIR}=text")
    # One unstable feature, in our crate only: a failed allocation can be made to unwind instead of aborting.
    add_custom_command(OUTPUT ${archive}
        COMMAND ${CMAKE_COMMAND} -E env RUSTC_BOOTSTRAP=${crate} CARGO_TARGET_DIR=${folder} "RUSTFLAGS=${flags}"
            ${LLM_CARGO} build --release --locked --quiet --lib
        WORKING_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR}
        DEPENDS ${sources} ${CMAKE_CURRENT_SOURCE_DIR}/Cargo.toml ${CMAKE_CURRENT_SOURCE_DIR}/Cargo.lock
        COMMENT "Building the Rust crate ${crate}"
        VERBATIM)
    add_custom_target(${target}_archive DEPENDS ${archive})
    add_library(${target} INTERFACE)
    target_link_libraries(${target} INTERFACE ${archive} ${CMAKE_DL_LIBS} Threads::Threads)
    add_dependencies(${target} ${target}_archive)
    set_target_properties(${target} PROPERTIES LLM_ARCHIVE ${archive})
endfunction()
