# llm_add_static_library()
#
# The static archive `llm_static` (alias llm::llm_static): one object file in which only the functions of llm.h are
# global. Hidden visibility would not suffice: it does not count inside an archive, so that a program which holds
# PCRE2 or the same templates as the library would clash with it.
function(llm_add_static_library)
    get_property(modules GLOBAL PROPERTY LLM_MODULES)
    list(TRANSFORM modules REPLACE "(.+)" "$<TARGET_OBJECTS:\\1>" OUTPUT_VARIABLE objects)
    set(list ${CMAKE_CURRENT_BINARY_DIR}/static_objects.txt)
    file(GENERATE OUTPUT ${list} CONTENT "$<JOIN:${objects},\n>\n")

    set(rust_archive "")
    if(TARGET llm_rust)
        get_target_property(rust_archive llm_rust LLM_ARCHIVE)
    endif()

    set(joined ${CMAKE_CURRENT_BINARY_DIR}/llm_static.o)
    add_custom_command(OUTPUT ${joined}
        # Groups are resolved now: one that the program's linker drops for its own copy would leave references behind.
        COMMAND ${CMAKE_LINKER} -r --force-group-allocation -o ${joined} @${list} ${PCRE2_LIBRARY} ${rust_archive}
        # Rust's standard library carries LLVM code for a link-time optimizer, on which linkers with an older LLVM end.
        COMMAND ${CMAKE_OBJCOPY} --wildcard --keep-global-symbol=llm_* --remove-section=.llvmbc
            --remove-section=.llvmcmd ${joined}
        DEPENDS ${objects} ${list} ${rust_archive}
        COMMAND_EXPAND_LISTS VERBATIM)
    set_source_files_properties(${joined} PROPERTIES EXTERNAL_OBJECT TRUE GENERATED TRUE)

    add_library(llm_static STATIC ${joined})
    add_library(llm::llm_static ALIAS llm_static)
    target_include_directories(llm_static INTERFACE
        $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
        $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
    target_link_libraries(llm_static INTERFACE TBB::tbb Threads::Threads stdc++ m)
    set_target_properties(llm_static PROPERTIES OUTPUT_NAME llm LINKER_LANGUAGE CXX)
endfunction()
