// Handles of the library as SafeHandles: the runtime counts the calls that use one, and releases it after the last.
using System;
using System.Runtime.InteropServices;

namespace LibLlm.Native
{
    internal abstract class NativeHandle : SafeHandle
    {
        protected NativeHandle() : base(IntPtr.Zero, true) { }

        public override bool IsInvalid
        {
            get { return handle == IntPtr.Zero; }
        }
    }

    internal sealed class ModelHandle : NativeHandle
    {
        protected override bool ReleaseHandle()
        {
            raw.llm_model_close(handle);
            return true;
        }
    }

    internal sealed class ContextHandle : NativeHandle
    {
        protected override bool ReleaseHandle()
        {
            raw.llm_context_close(handle);
            return true;
        }
    }

    internal sealed class BatchHandle : NativeHandle
    {
        protected override bool ReleaseHandle()
        {
            raw.llm_batch_close(handle);
            return true;
        }
    }

    internal sealed class SamplerHandle : NativeHandle
    {
        protected override bool ReleaseHandle()
        {
            raw.llm_sampler_close(handle);
            return true;
        }
    }

    internal sealed class GenerationHandle : NativeHandle
    {
        protected override bool ReleaseHandle()
        {
            raw.llm_generation_close(handle);
            return true;
        }
    }

    internal sealed class OptionsHandle : NativeHandle
    {
        protected override bool ReleaseHandle()
        {
            raw.raw_options_free(handle);
            return true;
        }
    }
}
