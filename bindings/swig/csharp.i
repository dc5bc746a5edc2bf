/*
 * The raw layer of C#. An array is a C# array, which the runtime pins during the call, and its length a UIntPtr,
 * because SWIG's uint would cut it; text is an array of bytes; a handle is a SafeHandle, which the runtime does not
 * release while a call uses it; an error becomes an exception whose text was fetched in the same native call.
 */
/* A *_close() is declared here for a typemap of its own, and then by its header; a buffer and its size are two
 * arguments here, not one as in llm.i. */
#pragma SWIG nowarn=302,322,453

%warnfilter(314) llm_model_options::lock;
%csconst(1);
%ignore LLM_VERSION_STRING;
%pragma(csharp) moduleclassmodifiers="internal static class"
%pragma(csharp) imclassclassmodifiers="internal static class"

/* ---- Errors ----------------------------------------------------------------------------------------------------- */

%insert("header") %{
/* Told the status and the text of a call that failed, on the thread of the call and before it returns. */
typedef void (SWIGSTDCALL *llm_csharp_error_callback)(int32_t status, const char *text, int32_t length);
static llm_csharp_error_callback llm_csharp_on_error;

/* Takes the callback, or NULL when its code is unloaded. Returns 1 if the library that is loaded is one that this code
 * was compiled for, else 0. */
#ifdef __cplusplus
extern "C"
#endif
SWIGEXPORT int32_t SWIGSTDCALL llm_csharp_start(llm_csharp_error_callback on_error) {
    llm_csharp_on_error = on_error;
    return llm_abi_version() == LLM_ABI_VERSION;
}

static int32_t llm_csharp_status(llm_status status) {
    const llm_csharp_error_callback on_error = llm_csharp_on_error;
    if (status < 0 && on_error) {
        char text[1024]; /* the library keeps less */
        size_t length = 0;
        if (llm_last_error(text, sizeof text, &length) != LLM_OK) length = 0;
        on_error(status, text, (int32_t)length);
    }
    return status;
}
%}

%pragma(csharp) imclasscode=%{
  [global::System.Runtime.InteropServices.DllImport("$dllimport", EntryPoint="llm_csharp_start")]
  internal static extern int llm_csharp_start(NativeErrorCallback onError);
%}

%typemap(ctype) llm_status "int32_t"
%typemap(imtype) llm_status "int"
%typemap(cstype) llm_status "int"
%typemap(in) llm_status %{ $1 = $input; %}
%typemap(out) llm_status %{ $result = llm_csharp_status($1); %}
%typemap(csin) llm_status "$csinput"
%typemap(csout) llm_status {
    return NativeError.Check($imcall);
  }

/* ---- Numbers, arrays and text ----------------------------------------------------------------------------------- */

%typemap(ctype) size_t "size_t"
%typemap(imtype) size_t "global::System.UIntPtr"
%typemap(cstype) size_t "global::System.UIntPtr"
%typemap(csin) size_t "$csinput"
%typemap(csout) size_t {
    return $imcall;
  }
%typemap(csvarout) size_t %{
    get { return $imcall; } %}

%typemap(ctype) size_t * "size_t *"
%typemap(imtype) size_t * "out global::System.UIntPtr"
%typemap(cstype) size_t * "out global::System.UIntPtr"
%typemap(csin) size_t * "out $csinput"
%typemap(in) size_t * (size_t size = 0) %{ $1 = &size; %}
%typemap(argout) size_t * %{ *$input = *$1; %}

/* Pinned and not copied, so that it serves for input and output. */
%define CSHARP_ARRAY(CTYPE, CSTYPE)
%typemap(ctype) CTYPE "void *"
%typemap(imtype) CTYPE "CSTYPE[]"
%typemap(cstype) CTYPE "CSTYPE[]"
%typemap(csin) CTYPE "$csinput"
%typemap(in) CTYPE %{ $1 = ($1_ltype)$input; %}
%typemap(argout) CTYPE ""
%typemap(freearg) CTYPE ""
%enddef
CSHARP_ARRAY(const void *, byte)
CSHARP_ARRAY(void *, byte)
CSHARP_ARRAY(const char *, byte)
CSHARP_ARRAY(char *, byte)
CSHARP_ARRAY(const llm_token *, int)
CSHARP_ARRAY(llm_token *, int)
CSHARP_ARRAY(const uint64_t *, ulong)
CSHARP_ARRAY(float *, float)

/* Text that lives as long as its owner comes as a pointer, which the public layer decodes. */
%typemap(ctype, out="const void *") const char * "void *"
%typemap(imtype, out="global::System.IntPtr") const char * "byte[]"
%typemap(cstype, out="global::System.IntPtr") const char * "byte[]"
%typemap(out) const char * %{ $result = $1; %}
%typemap(csout) const char * {
    return $imcall;
  }
%typemap(csvarout) const char * %{
    get { return $imcall; } %}

/* ---- Handles ---------------------------------------------------------------------------------------------------- */

/* A SafeHandle closes what it holds when it has become invalid as a SafeHandle, so `close` takes the number. */
%define CSHARP_HANDLE(CTYPE, CSTYPE, close, name)
%typemap(ctype) CTYPE *, const CTYPE * "void *"
%typemap(imtype) CTYPE *, const CTYPE * "CSTYPE"
%typemap(cstype) CTYPE *, const CTYPE * "CSTYPE"
%typemap(csin) CTYPE *, const CTYPE * "$csinput"
%typemap(in) CTYPE *, const CTYPE * %{ $1 = ($1_ltype)$input; %}
%typemap(ctype) CTYPE ** "void **"
%typemap(imtype) CTYPE ** "out CSTYPE"
%typemap(cstype) CTYPE ** "out CSTYPE"
%typemap(csin) CTYPE ** "out $csinput"
%typemap(in) CTYPE ** (CTYPE *made = NULL) %{ $1 = &made; %}
%typemap(argout) CTYPE ** %{ *$input = *$1; %}
%typemap(imtype) CTYPE *CLOSED "global::System.IntPtr"
%typemap(cstype) CTYPE *CLOSED "global::System.IntPtr"
%apply CTYPE *CLOSED { CTYPE *name };
void close(CTYPE *name);
%clear CTYPE *name;
%enddef
CSHARP_HANDLE(llm_model, ModelHandle, llm_model_close, model)
CSHARP_HANDLE(llm_context, ContextHandle, llm_context_close, context)
CSHARP_HANDLE(llm_batch, BatchHandle, llm_batch_close, batch)
CSHARP_HANDLE(llm_sampler, SamplerHandle, llm_sampler_close, sampler)
CSHARP_HANDLE(llm_generation, GenerationHandle, llm_generation_close, generation)
CSHARP_HANDLE(raw_options, OptionsHandle, raw_options_free, options)
%ignore llm_model_retain;

/* The struct inside options is an address that one function gives and the next takes. */
%define CSHARP_ADDRESS(CTYPE)
%typemap(ctype) CTYPE * "const void *"
%typemap(imtype) CTYPE * "global::System.IntPtr"
%typemap(cstype) CTYPE * "global::System.IntPtr"
%typemap(csin) CTYPE * "$csinput"
%typemap(in) CTYPE * %{ $1 = ($1_ltype)$input; %}
%typemap(out) CTYPE * %{ $result = (void *)$1; %}
%typemap(csout) CTYPE * {
    return $imcall;
  }
%enddef
CSHARP_ADDRESS(const llm_model_options)
CSHARP_ADDRESS(const llm_context_options)
CSHARP_ADDRESS(const llm_sampler_options)
CSHARP_ADDRESS(llm_sampler_options)
CSHARP_ADDRESS(const llm_generation_options)
CSHARP_ADDRESS(const llm_chat_options)

/* ---- Structs of results ----------------------------------------------------------------------------------------- */

/* They are used inside one function each, which disposes of them: no finalizer, no lock. */
%typemap(csclassmodifiers) SWIGTYPE "internal class"
%typemap(csbody) SWIGTYPE %{
  private global::System.Runtime.InteropServices.HandleRef swigCPtr;

  private $csclassname(global::System.IntPtr address, bool owned) {
    if (address == global::System.IntPtr.Zero) throw new global::System.OutOfMemoryException();
    swigCPtr = new global::System.Runtime.InteropServices.HandleRef(this, address);
  }

  internal static global::System.Runtime.InteropServices.HandleRef getCPtr($csclassname obj) {
    return obj.swigCPtr;
  }
%}
%typemap(csdispose) SWIGTYPE ""
%typemap(csdisposing, methodname="Dispose", methodmodifiers="public", parameters="") SWIGTYPE {
    if (swigCPtr.Handle != global::System.IntPtr.Zero) $imcall;
    swigCPtr = new global::System.Runtime.InteropServices.HandleRef(null, global::System.IntPtr.Zero);
  }
