// Where the tests find models and cases, as bindings/conformance/README.md says. Models are opened once.
using System;
using System.Collections.Concurrent;
using System.IO;

namespace LibLlm.Tests
{
    internal static class TestFiles
    {
        private static readonly ConcurrentDictionary<string, Lazy<Model>> open =
            new ConcurrentDictionary<string, Lazy<Model>>();

        internal static string Variable(string name)
        {
            string value = Environment.GetEnvironmentVariable(name);
            if (string.IsNullOrEmpty(value)) throw new InvalidOperationException(name + " is not set");
            return value;
        }

        internal static string PathOf(string file)
        {
            return Path.Combine(Variable("LLM_CONFORMANCE_MODELS"), file);
        }

        // A model that all tests share; not to be disposed of.
        internal static Model Shared(string name)
        {
            return open.GetOrAdd(name, n => new Lazy<Model>(() => new Model(PathOf(n + ".gguf")))).Value;
        }

        // Whether the library was built with chat templates.
        internal static bool HasTemplates
        {
            get { return Equals(new Case(Json.Parse(Library.SystemInfo)).Get("chat_templates"), true); }
        }

        // A sampler that always chooses the most probable token.
        internal static Sampler Greedy()
        {
            return new Sampler(new SamplerOptions { Temperature = 0 });
        }

        internal static Context NewContext(int length = 128, int sequences = 1)
        {
            return new Context(Shared("decoder"),
                               new ContextOptions { ContextLength = length, MaxSequences = sequences, Threads = 1 });
        }
    }
}
