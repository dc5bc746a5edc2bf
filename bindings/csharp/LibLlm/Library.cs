// Facts about the native library.
using System;
using System.Collections.Generic;
using LibLlm.Native;

namespace LibLlm
{
    /// <summary>The native library. Its members may be used by any thread.</summary>
    public static class Library
    {
        /// <summary>
        /// The folder of the native library, null if none was given. To be set before anything else of this assembly
        /// is used. Otherwise it is looked for in runtimes/&lt;rid&gt;/native beside the assembly, as packages have
        /// it, and then where the runtime looks for native libraries.
        /// </summary>
        /// <exception cref="InvalidOperationException">It is set after the native library was loaded.</exception>
        public static string NativeFolder
        {
            get { return NativeLoader.Folder; }
            set { NativeLoader.Folder = value; }
        }

        /// <summary>The version of the library that is loaded, for instance "0.1.0".</summary>
        public static string Version
        {
            get { return Utf8.Decode(NativeLoader.Call(raw.llm_version_string)); }
        }

        /// <summary>
        /// Facts about library and machine as a JSON object: version, abi_version, tier (of the kernels in use), tiers,
        /// features, threads (the default number), unicode_version, chat_templates (whether they were built).
        /// </summary>
        /// <exception cref="LlmException">The environment variable LLM_CPU names a tier that is unknown or that this
        /// machine does not have.</exception>
        public static string SystemInfo
        {
            get { return NativeLoader.Call(() => Buffers.ReadText(raw.llm_system_info)); }
        }

        /// <summary>Chooses the kernels, before the first model is opened. All give the same results.</summary>
        /// <param name="tier">"scalar", "avx2" or "avx512"; null or "auto" for the best that there is.</param>
        /// <exception cref="LlmException"><see cref="Status.Argument"/> for an unknown name,
        /// <see cref="Status.Unsupported"/> when this machine does not have it, <see cref="Status.State"/> when a model
        /// has been opened with other kernels.</exception>
        public static void SelectKernels(string tier)
        {
            byte[] name = Utf8.NameOrNull(tier, nameof(tier));
            NativeLoader.Call(() => raw.llm_cpu_select(name));
        }

        /// <summary>The options of a group that can be set by name.</summary>
        /// <param name="group">The kind of options; an unknown one has none.</param>
        public static IReadOnlyList<OptionInfo> Options(OptionGroup group)
        {
            return NativeLoader.Call(() => ReadOptions(group));
        }

        private static OptionInfo[] ReadOptions(OptionGroup group)
        {
            var options = new OptionInfo[Buffers.Count(raw.llm_option_count((int)group))];
            for (int i = 0; i < options.Length; ++i)
            {
                using (var option = new llm_option())
                {
                    raw.llm_option_describe(option, (int)group, new UIntPtr((uint)i));
                    options[i] = new OptionInfo(option);
                }
            }
            return options;
        }
    }
}
