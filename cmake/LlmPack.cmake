# `cpack` in the build folder makes a .tar.gz with everything, oneTBB included, and Debian packages, which depend on
# the system's. LlmPackOptions.cmake has what differs between the two.
# Under the name by which the library looks for it.
install(FILES $<TARGET_FILE:TBB::tbb> DESTINATION ${CMAKE_INSTALL_LIBDIR} RENAME libtbb.so.12 COMPONENT bundled
    EXCLUDE_FROM_ALL)

set(CPACK_GENERATOR TGZ)
find_program(LLM_DPKG_SHLIBDEPS dpkg-shlibdeps)
if(LLM_DPKG_SHLIBDEPS)
    list(APPEND CPACK_GENERATOR DEB)
endif()
set(CPACK_PROJECT_CONFIG_FILE ${CMAKE_CURRENT_LIST_DIR}/LlmPackOptions.cmake)
set(CPACK_PACKAGE_NAME libllm)
set(CPACK_PACKAGE_VENDOR "the libllm authors")
set(CPACK_PACKAGE_CONTACT ${CPACK_PACKAGE_VENDOR})
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_STRIP_FILES ON)

# Debian: one package for each component. The dependencies of programs are found by dpkg-shlibdeps.
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${PROJECT_BINARY_DIR}/src)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(llm_same_version "libllm${LLM_ABI_VERSION} (= ${PROJECT_VERSION})")
set(CPACK_DEBIAN_RUNTIME_PACKAGE_NAME libllm${LLM_ABI_VERSION})
set(CPACK_DEBIAN_RUNTIME_PACKAGE_SECTION libs)
set(CPACK_COMPONENT_RUNTIME_DESCRIPTION "${PROJECT_DESCRIPTION}: shared library")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libllm-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS ${llm_same_version})
set(CPACK_COMPONENT_DEVELOPMENT_DESCRIPTION "${PROJECT_DESCRIPTION}: headers")
set(CPACK_DEBIAN_TOOLS_PACKAGE_NAME llm-tools)
set(CPACK_DEBIAN_TOOLS_PACKAGE_SECTION utils)
set(CPACK_DEBIAN_TOOLS_PACKAGE_DEPENDS ${llm_same_version})
set(CPACK_COMPONENT_TOOLS_DESCRIPTION "${PROJECT_DESCRIPTION}: command line")
include(CPack)
