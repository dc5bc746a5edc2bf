# Puts the native libraries of the jar into FOLDER, with a manifest of their hashes in the format of sha256sum, in an
# order in which each finds those that it needs. Run with cmake -P; BUILD is the binding's build folder, LLM and
# LLM_NAME are the library's file and the name by which it is looked for.
file(REMOVE_RECURSE ${FOLDER})
execute_process(COMMAND ${CMAKE_COMMAND} --install ${BUILD} --component java --prefix ${FOLDER} --strip
    OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
file(RENAME ${FOLDER}/${LLM} ${FOLDER}/${LLM_NAME})  # a jar holds no links

set(manifest "")
foreach(name libtbb.so.12 ${LLM_NAME} libllm_java.so)
    file(SHA256 ${FOLDER}/${name} sum)
    string(APPEND manifest "${sum}  ${name}\n")
endforeach()
file(WRITE ${FOLDER}/manifest "${manifest}")
