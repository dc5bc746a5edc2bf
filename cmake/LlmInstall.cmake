# Installation in components: runtime (the library), development (headers, CMake package, pkg-config file, static
# archive) and tools (llm-cli). The tree may be moved as a whole: no file in it holds an absolute path.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(llm_package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/llm)
set(llm_pkgconfig_dir ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
set(llm_doc_dir ${CMAKE_INSTALL_DATAROOTDIR}/doc/llm)

install(TARGETS llm EXPORT llm
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT runtime NAMELINK_COMPONENT development)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE ${PROJECT_SOURCE_DIR}/cmake/THIRD_PARTY_NOTICES.txt
    DESTINATION ${llm_doc_dir} COMPONENT runtime)
if(TARGET llm_rust)
    include(LlmRust)
    llm_install_rust_licenses(${PROJECT_SOURCE_DIR}/src/text/Cargo.lock ${llm_doc_dir}/licenses runtime)
endif()
install(FILES ${PROJECT_SOURCE_DIR}/include/llm/llm.h ${PROJECT_SOURCE_DIR}/include/llm/llm.hpp
    DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/llm COMPONENT development)
install(EXPORT llm NAMESPACE llm:: FILE llmTargets.cmake DESTINATION ${llm_package_dir} COMPONENT development)
if(TARGET llm_static)
    install(TARGETS llm_static EXPORT llm_static
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development)
    install(EXPORT llm_static NAMESPACE llm:: FILE llmStaticTargets.cmake
        DESTINATION ${llm_package_dir} COMPONENT development)
endif()

configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/llmConfig.cmake.in ${PROJECT_BINARY_DIR}/llmConfig.cmake
    INSTALL_DESTINATION ${llm_package_dir} NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/llmConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/llmConfig.cmake ${PROJECT_BINARY_DIR}/llmConfigVersion.cmake
    DESTINATION ${llm_package_dir} COMPONENT development)

file(RELATIVE_PATH llm_pkgconfig_to_prefix /prefix/${llm_pkgconfig_dir} /prefix)
configure_file(${CMAKE_CURRENT_LIST_DIR}/llm.pc.in ${PROJECT_BINARY_DIR}/llm.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/llm.pc DESTINATION ${llm_pkgconfig_dir} COMPONENT development)

if(TARGET llm-cli)
    file(RELATIVE_PATH llm_bin_to_lib /prefix/${CMAKE_INSTALL_BINDIR} /prefix/${CMAKE_INSTALL_LIBDIR})
    set_target_properties(llm-cli PROPERTIES INSTALL_RPATH $ORIGIN/${llm_bin_to_lib})
    install(TARGETS llm-cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT tools)
    set(llm_cli_texts ${PROJECT_BINARY_DIR}/cli/texts)
    install(FILES ${llm_cli_texts}/llm-cli.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT tools)
    install(FILES ${llm_cli_texts}/llm-cli DESTINATION ${CMAKE_INSTALL_DATAROOTDIR}/bash-completion/completions
        COMPONENT tools)
    install(FILES ${llm_cli_texts}/_llm-cli DESTINATION ${CMAKE_INSTALL_DATAROOTDIR}/zsh/site-functions COMPONENT tools)
    install(FILES ${llm_cli_texts}/llm-cli.fish DESTINATION ${CMAKE_INSTALL_DATAROOTDIR}/fish/vendor_completions.d
        COMPONENT tools)
endif()

include(LlmPack)
