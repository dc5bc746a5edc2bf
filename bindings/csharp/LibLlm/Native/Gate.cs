// Lets one thread at a time into an object. The library finds a second thread out as well, but not between a call and
// the copying of what it lent.
using System;
using System.Runtime.InteropServices;
using System.Threading;

namespace LibLlm.Native
{
    internal sealed class Gate
    {
        private readonly SafeHandle handle;
        private readonly string what;
        private int inside;

        internal Gate(SafeHandle handle, string what)
        {
            this.handle = handle;
            this.what = what;
        }

        // To be disposed of on the way out. The handle is not released meanwhile.
        internal Pass Enter()
        {
            if (handle.IsClosed) throw new ObjectDisposedException(what);
            if (Interlocked.CompareExchange(ref inside, 1, 0) != 0)
                throw new LlmException(Status.Busy, "another thread is inside this " + what);
            try
            {
                bool added = false;
                handle.DangerousAddRef(ref added);
            }
            catch (ObjectDisposedException)
            {
                Volatile.Write(ref inside, 0);
                throw new ObjectDisposedException(what);
            }
            return new Pass(this);
        }

        internal struct Pass : IDisposable
        {
            private readonly Gate gate;

            internal Pass(Gate gate)
            {
                this.gate = gate;
            }

            public void Dispose()
            {
                gate.handle.DangerousRelease();
                Volatile.Write(ref gate.inside, 0);
            }
        }
    }

    // Keeps the handle of an object that many threads use from being released while what it lent is copied.
    internal struct Hold : IDisposable
    {
        private readonly SafeHandle handle;

        internal Hold(SafeHandle handle)
        {
            bool added = false;
            handle.DangerousAddRef(ref added);
            this.handle = handle;
        }

        public void Dispose()
        {
            handle.DangerousRelease();
        }
    }
}
