// An open model.
using System;
using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;
using LibLlm.Native;

namespace LibLlm
{
    /// <summary>
    /// An open model. It is immutable: any number of threads may use it at the same time. Contexts keep what they
    /// need of it, so it may be disposed of before them; its memory is freed with the last one.
    /// </summary>
    public sealed class Model : IDisposable
    {
        private ModelInfo info;

        /// <summary>Opens a model file.</summary>
        /// <param name="path">Of the file; of a split model any part, the others being beside it.</param>
        /// <param name="options">Or null for the defaults.</param>
        /// <exception cref="LlmException"><see cref="Status.Io"/>, or what is wrong with the file:
        /// <see cref="Status.NotGguf"/>, <see cref="Status.Truncated"/>, <see cref="Status.Malformed"/>,
        /// <see cref="Status.Unsupported"/>, <see cref="Status.Model"/>, <see cref="Status.Vocabulary"/>;
        /// <see cref="Status.NoMemory"/>.</exception>
        /// <exception cref="ArgumentException">The path is null or no file name.</exception>
        public Model(string path, ModelOptions options = null)
        {
            byte[] name = Utf8.Name(path, nameof(path));
            Handle = Open(options, (out ModelHandle made, IntPtr given) => raw.llm_model_open(out made, name, given));
        }

        private Model(ModelHandle handle)
        {
            Handle = handle;
        }

        private delegate int OpenCall(out ModelHandle made, IntPtr options);

        internal ModelHandle Handle { get; }

        /// <summary>Opens a model that is in memory. The bytes are needed only during the call.</summary>
        /// <param name="bytes">The content of a model file.</param>
        /// <param name="options">Or null for the defaults. <see cref="LoadMode.Mapped"/> needs a file.</param>
        /// <exception cref="LlmException">As from the constructor.</exception>
        /// <exception cref="ArgumentException">The bytes are null, or the options say
        /// <see cref="LoadMode.Mapped"/>.</exception>
        public static Model FromBytes(byte[] bytes, ModelOptions options = null)
        {
            Require.NotNull(bytes, nameof(bytes));
            if (options?.Load == LoadMode.Mapped)
                throw new ArgumentException("a mapped model needs a file, not bytes that may move", nameof(options));
            return new Model(Open(options, (out ModelHandle made, IntPtr given) =>
                raw.llm_model_open_memory(out made, bytes, Buffers.Size(bytes), given)));
        }

        /// <summary>Opens a model file on a thread of the pool.</summary>
        /// <param name="path">As for the constructor.</param>
        /// <param name="options">As for the constructor.</param>
        /// <param name="cancellationToken">Is looked at before and after loading.</param>
        /// <returns>A task with the model, or with the exceptions of the constructor.</returns>
        public static Task<Model> OpenAsync(string path, ModelOptions options = null,
                                            CancellationToken cancellationToken = default(CancellationToken))
        {
            return Task.Run(() =>
            {
                var model = new Model(path, options);
                if (cancellationToken.IsCancellationRequested) model.Dispose();
                cancellationToken.ThrowIfCancellationRequested();
                return model;
            }, cancellationToken);
        }

        /// <summary>Facts about the model.</summary>
        public ModelInfo Info
        {
            get
            {
                using (new Hold(Handle)) return info ?? (info = ReadInfo());
            }
        }

        /// <summary>
        /// What the model needs and whether this build has it, as a JSON object with architecture, tokenizer,
        /// pre_tokenizer, rope_scaling and tensor_types, each with name and supported, and runnable and problem.
        /// </summary>
        public string Support
        {
            get
            {
                return Buffers.ReadText((byte[] to, UIntPtr capacity, out UIntPtr needed) =>
                    raw.llm_model_support(to, capacity, out needed, Handle));
            }
        }

        /// <summary>Turns text into tokens and back.</summary>
        public Tokenizer Tokenizer
        {
            get { return new Tokenizer(this); }
        }

        /// <summary>Turns conversations into prompts.</summary>
        public ChatTemplate ChatTemplate
        {
            get { return new ChatTemplate(this); }
        }

        /// <summary>The model's metadata.</summary>
        public Metadata Metadata
        {
            get { return new Metadata(this); }
        }

        /// <summary>The tensors of the file, in its order.</summary>
        public IReadOnlyList<TensorInfo> GetTensors()
        {
            var tensors = new TensorInfo[Buffers.Count(raw.llm_tensor_count(Handle))];
            for (int i = 0; i < tensors.Length; ++i)
            {
                using (new Hold(Handle))
                using (var tensor = new llm_tensor())
                {
                    raw.llm_tensor_get(tensor, Handle, new UIntPtr((uint)i));
                    tensors[i] = new TensorInfo(tensor);
                }
            }
            return tensors;
        }

        /// <summary>The memory that this model and a context take, which also a model can tell that was opened for its
        /// metadata.</summary>
        /// <param name="options">Of the context, or null for the defaults.</param>
        /// <exception cref="LlmException"><see cref="Status.Unsupported"/>, <see cref="Status.Model"/> or
        /// <see cref="Status.Vocabulary"/> when the model could not be opened.</exception>
        public MemoryEstimate EstimateMemory(ContextOptions options = null)
        {
            using (OptionsHandle given = (options ?? new ContextOptions()).ToNative())
            using (var memory = new llm_memory())
            {
                raw.llm_memory_estimate(memory, Handle, raw.raw_context_options(given));
                return new MemoryEstimate(memory);
            }
        }

        /// <summary>Gives the model back. Contexts of it go on; calls that are running end first.</summary>
        public void Dispose()
        {
            Handle.Dispose();
        }

        private ModelInfo ReadInfo()
        {
            using (var facts = new llm_model_info())
            {
                raw.llm_model_get_info(facts, Handle);
                return new ModelInfo(facts);
            }
        }

        private static ModelHandle Open(ModelOptions options, OpenCall call)
        {
            ModelOptions chosen = options ?? new ModelOptions();
            return NativeLoader.Call(() =>
            {
                using (OptionsHandle given = chosen.ToNative())
                {
                    ModelHandle made;
                    call(out made, raw.raw_model_options(given));
                    return made;
                }
            });
        }
    }
}
