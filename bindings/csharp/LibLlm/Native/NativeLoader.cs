// Finds the native library where the runtime would not look: in a given folder, or in runtimes/<rid>/native.
using System;
using System.IO;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace LibLlm.Native
{
    internal static class NativeLoader
    {
        private const string name = "llm_csharp";
        private static readonly object guard = new object();
        private static string folder;
        private static volatile bool started;
        private const int now = 2; // RTLD_NOW

        // null if none was given.
        internal static string Folder
        {
            get
            {
                lock (guard) return folder;
            }
            set
            {
                lock (guard)
                {
                    if (started) throw new InvalidOperationException("the native library has been loaded already");
                    folder = value;
                }
            }
        }

        // Loads the native library, once. Mono looks for a library when it compiles a method that calls it, so this
        // has to be called by what calls such a method, not by the method itself.
        internal static void Start()
        {
            if (started) return;
            lock (guard)
            {
                if (started) return;
                Load();
                Connect();
                started = true;
            }
        }

        // Calls a method that calls the library, which may be not loaded yet.
        internal static T Call<T>(Func<T> call)
        {
            Start();
            return call();
        }

        [MethodImpl(MethodImplOptions.NoInlining)]
        private static void Connect()
        {
            if (rawPINVOKE.llm_csharp_start(NativeError.Callback) == 0)
                throw new DllNotFoundException("libllm has another version than the one LibLlm.dll was made for");
            AppDomain.CurrentDomain.DomainUnload += (sender, unloaded) => rawPINVOKE.llm_csharp_start(null);
        }

        // Loads the library if it is in one of these folders; an import by name then finds it, because it is there.
        // Else the runtime goes on to look for it as it does for every import.
        private static void Load()
        {
            bool onWindows = Path.DirectorySeparatorChar == '\\';
            string file = onWindows ? name + ".dll" : "lib" + name + (IsMacOs() ? ".dylib" : ".so");
            if (folder != null)
            {
                Open(Path.GetFullPath(Path.Combine(folder, file)), onWindows);
                return;
            }
            string beside = Path.GetDirectoryName(typeof(NativeLoader).Assembly.Location);
            if (string.IsNullOrEmpty(beside)) return; // a program in a single file
            string packaged = Path.Combine(beside, "runtimes", RuntimeIdentifier(), "native", file);
            if (File.Exists(packaged)) Open(packaged, onWindows);
        }

        private static bool IsMacOs()
        {
            return RuntimeInformation.IsOSPlatform(OSPlatform.OSX);
        }

        private static string RuntimeIdentifier()
        {
            string system = RuntimeInformation.IsOSPlatform(OSPlatform.Windows) ? "win" : IsMacOs() ? "osx" : "linux";
            return system + "-" + RuntimeInformation.ProcessArchitecture.ToString().ToLowerInvariant();
        }

        private static void Open(string path, bool onWindows)
        {
            if (onWindows)
                OpenOnWindows(path);
            else if (IsMacOs())
                OpenOnMacOs(path);
            else
                OpenOnUnix(path);
        }

        [MethodImpl(MethodImplOptions.NoInlining)]
        private static void OpenOnWindows(string path)
        {
            const uint searchItsFolder = 0x00000008; // LOAD_WITH_ALTERED_SEARCH_PATH
            if (LoadLibraryEx(path, IntPtr.Zero, searchItsFolder) == IntPtr.Zero)
                throw new DllNotFoundException(path + ": error " + Marshal.GetLastWin32Error());
        }

        [MethodImpl(MethodImplOptions.NoInlining)]
        private static void OpenOnMacOs(string path)
        {
            if (MacOsOpen(Utf8.Name(path, nameof(path)), now) == IntPtr.Zero)
                throw new DllNotFoundException(Utf8.Decode(MacOsError()));
        }

        [MethodImpl(MethodImplOptions.NoInlining)]
        private static void OpenOnUnix(string path)
        {
            if (UnixOpen(Utf8.Name(path, nameof(path)), now) == IntPtr.Zero)
                throw new DllNotFoundException(Utf8.Decode(UnixError()));
        }

        [DllImport("kernel32", CharSet = CharSet.Unicode, SetLastError = true)]
        private static extern IntPtr LoadLibraryEx(string path, IntPtr reserved, uint flags);

        [DllImport("libdl.so.2", EntryPoint = "dlopen")]
        private static extern IntPtr UnixOpen(byte[] path, int flags);

        [DllImport("libdl.so.2", EntryPoint = "dlerror")]
        private static extern IntPtr UnixError();

        [DllImport("libSystem.dylib", EntryPoint = "dlopen")]
        private static extern IntPtr MacOsOpen(byte[] path, int flags);

        [DllImport("libSystem.dylib", EntryPoint = "dlerror")]
        private static extern IntPtr MacOsError();
    }
}
