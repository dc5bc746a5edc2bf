/*
 * Java's typemaps. There are no proxies (-noproxy): pointers are long, buffers are arrays whose length is the capacity,
 * names are bytes that end with a zero. A function that returns llm_status returns long in Java:
 *
 *   with BYTES_OUT, TOKENS_OUT or FLOATS_OUT   the number of elements that are needed: more than the array's length
 *                                              means that nothing was written
 *   with HANDLE_OUT, SIZE_OUT or TOKEN_OUT     what was made or written
 *   otherwise                                  the status
 *
 * A negative status, and LLM_CANCELLED, is thrown as what LlmException.of() makes of it and of the library's text.
 */
%javaconst(0);
%pragma(java) jniclasscode=%{
  static {
    org.libllm.internal.NativeLibrary.load();
  }
%}

%insert("runtime") %{
#include <stdint.h>
%}

%insert("header") %{
/* A Java array of bytes; NULL, with an exception pending, when there is no memory. */
static jbyteArray java_bytes(JNIEnv *jenv, const char *bytes, size_t length) {
    jbyteArray array = (*jenv)->NewByteArray(jenv, (jsize)length);
    if (array) (*jenv)->SetByteArrayRegion(jenv, array, 0, (jsize)length, (const jbyte *)bytes);
    return array;
}

/* Throws what stands for a status. To be called after everything else, because hardly any function of JNI may be called
 * while an exception is pending. */
static void java_throw(JNIEnv *jenv, llm_status status) {
    char small[512];
    char *text = small;
    size_t length = 0;
    if (status == LLM_CANCELLED) {
        small[0] = 0;
    } else if (llm_last_error(small, sizeof small, &length) == LLM_BUFFER_TOO_SMALL) {
        text = (char *)malloc(length + 1);
        if (!text || llm_last_error(text, length + 1, &length) != LLM_OK) length = 0;
    }
    jclass type = (*jenv)->FindClass(jenv, "org/libllm/LlmException");
    jmethodID of = type ? (*jenv)->GetStaticMethodID(jenv, type, "of", "(I[B)Lorg/libllm/LlmException;") : NULL;
    jbyteArray bytes = of ? java_bytes(jenv, text, length) : NULL;
    jobject exception = bytes ? (*jenv)->CallStaticObjectMethod(jenv, type, of, (jint)status, bytes) : NULL;
    if (exception) (*jenv)->Throw(jenv, (jthrowable)exception);
    if (text != small) free(text);
}
%}

/* ---- Pointers and numbers --------------------------------------------------------------------------------------- */

%typemap(jni) SWIGTYPE * "jlong"
%typemap(jtype) SWIGTYPE * "long"
%typemap(jstype) SWIGTYPE * "long"
%typemap(javain) SWIGTYPE * "$javainput"
%typemap(javaout) SWIGTYPE * { return $jnicall; }
%typemap(in) SWIGTYPE * %{ $1 = ($1_ltype)(intptr_t)$input; %}
%typemap(out) SWIGTYPE * %{ $result = (jlong)(intptr_t)$1; %}

%apply long long { int64_t, uint64_t, size_t };

%typemap(jni) const char * "jbyteArray"
%typemap(jtype) const char * "byte[]"
%typemap(jstype) const char * "byte[]"
%typemap(javaout) const char * { return $jnicall; }
%typemap(out) const char * %{ $result = $1 ? java_bytes(jenv, $1, strlen($1)) : NULL; %}

/* ---- Status ----------------------------------------------------------------------------------------------------- */

%typemap(jni) llm_status "jlong"
%typemap(jtype) llm_status "long"
%typemap(jstype) llm_status "long"
%typemap(in) llm_status %{ $1 = (llm_status)$input; %}
%typemap(javain) llm_status "$javainput"
%typemap(javaout) llm_status { return $jnicall; }
%typemap(out) llm_status %{ $result = (jlong)$1; %}
%typemap(ret) llm_status %{ if ($1 < 0 || $1 == LLM_CANCELLED) java_throw(jenv, $1); %}

/* ---- Inputs ----------------------------------------------------------------------------------------------------- */

%typemap(jni) const char *NAME "jbyteArray"
%typemap(jtype) const char *NAME "byte[]"
%typemap(jstype) const char *NAME "byte[]"
%typemap(javain) const char *NAME "$javainput"
%typemap(in) const char *NAME %{
    $1 = $input ? (char *)(*jenv)->GetByteArrayElements(jenv, $input, NULL) : NULL;
    if ($input && !$1) return $null;
%}
%typemap(freearg) const char *NAME %{
    if ($1) (*jenv)->ReleaseByteArrayElements(jenv, $input, (jbyte *)$1, JNI_ABORT);
%}
%typemap(argout) const char *NAME ""

/* An array whose elements C reads, or with `release` 0 writes. */
%define JAVA_ARRAY(signature, array, java_type, element, name, release)
%typemap(jni) signature #array
%typemap(jtype) signature #java_type
%typemap(jstype) signature #java_type
%typemap(javain) signature "$javainput"
%typemap(in) signature %{
    $1 = $input ? ($1_ltype)(*jenv)->Get##name##ArrayElements(jenv, $input, NULL) : NULL;
    if ($input && !$1) return $null;
    $2 = $input ? (size_t)(*jenv)->GetArrayLength(jenv, $input) : 0;
%}
%typemap(freearg) signature %{
    if ($1) (*jenv)->Release##name##ArrayElements(jenv, $input, (element *)$1, release);
%}
%typemap(argout) signature ""
%enddef

JAVA_ARRAY((const void *BYTES, size_t LENGTH), jbyteArray, byte[], jbyte, Byte, JNI_ABORT)
JAVA_ARRAY((const llm_token *TOKENS, size_t COUNT), jintArray, int[], jint, Int, JNI_ABORT)
JAVA_ARRAY((const uint64_t *NUMBERS, size_t COUNT), jlongArray, long[], jlong, Long, JNI_ABORT)

/* ---- Outputs ---------------------------------------------------------------------------------------------------- */

%define JAVA_ARRAY_OUT(signature, array, java_type, element, name)
JAVA_ARRAY(signature, array, java_type, element, name, 0)
%typemap(in) signature (size_t needed = 0) %{
    $1 = $input ? ($1_ltype)(*jenv)->Get##name##ArrayElements(jenv, $input, NULL) : NULL;
    if ($input && !$1) return $null;
    $2 = $input ? (size_t)(*jenv)->GetArrayLength(jenv, $input) : 0;
    $3 = &needed;
%}
%typemap(argout) signature %{ $result = (jlong)needed$argnum; %}
%enddef

JAVA_ARRAY_OUT((char *BYTES_OUT, size_t CAPACITY, size_t *NEEDED), jbyteArray, byte[], jbyte, Byte)
JAVA_ARRAY_OUT((llm_token *TOKENS_OUT, size_t CAPACITY, size_t *NEEDED), jintArray, int[], jint, Int)
JAVA_ARRAY_OUT((float *FLOATS_OUT, size_t CAPACITY, size_t *NEEDED), jfloatArray, float[], jfloat, Float)

%typemap(in, numinputs=0) void **HANDLE_OUT (void *made = NULL) %{ $1 = ($1_ltype)&made; %}
%typemap(argout) void **HANDLE_OUT %{ $result = (jlong)(intptr_t)made$argnum; %}
%typemap(in, numinputs=0) size_t *SIZE_OUT (size_t size = 0) %{ $1 = &size; %}
%typemap(argout) size_t *SIZE_OUT %{ $result = (jlong)size$argnum; %}
%typemap(in, numinputs=0) llm_token *TOKEN_OUT (llm_token token = LLM_TOKEN_NONE) %{ $1 = &token; %}
%typemap(argout) llm_token *TOKEN_OUT %{ $result = (jlong)token$argnum; %}
