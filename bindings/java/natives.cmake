# Puts the native libraries of the jar into FOLDER, with a manifest of their hashes, in the format of sha256sum. Run
# with cmake -P.
file(REMOVE_RECURSE ${FOLDER})
set(manifest "")

function(add_native name from)
    set(to ${FOLDER}/${name})
    file(MAKE_DIRECTORY ${FOLDER})
    execute_process(COMMAND ${STRIP} --strip-unneeded -o ${to} ${from} COMMAND_ERROR_IS_FATAL ANY)
    file(SHA256 ${to} sum)
    string(APPEND manifest "${sum}  ${name}\n")
    set(manifest "${manifest}" PARENT_SCOPE)
endfunction()

add_native(libtbb.so.12 ${TBB})
add_native(${LLM_NAME} ${LLM})
add_native(libllm_java.so ${JAVA})
file(WRITE ${FOLDER}/manifest "${manifest}")
