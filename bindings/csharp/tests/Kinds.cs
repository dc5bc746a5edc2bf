// Kinds of conformance cases: text, facts, chat, options and opening. Each does what a case says and gives the result.
using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;

namespace LibLlm.Tests
{
    using Result = Dictionary<string, object>;

    internal static class Kinds
    {
        internal static readonly Dictionary<string, Func<Case, Result>> All = new Dictionary<string, Func<Case, Result>>
        {
            { "tokenize", Tokenize }, { "detokenize", Detokenize }, { "piece", Piece },
            { "special_tokens", SpecialTokens }, { "info", Info }, { "metadata", MetadataOf },
            { "chat_render", ChatRender }, { "chat_tokenize", ChatTokenize }, { "chat_template", ChatSource },
            { "option", Option }, { "open", Open },
            { "generate", Evaluations.Generate }, { "cancel", Evaluations.Generate }, { "fork", Evaluations.Fork },
            { "rewind", Evaluations.Rewind }, { "reuse", Evaluations.Reuse }, { "state", Evaluations.State },
            { "logits", Evaluations.Logits }, { "eval", Evaluations.Eval }, { "batch", Evaluations.BatchOf },
            { "sample", Evaluations.Sample }, { "embed", Evaluations.Embed },
        };

        internal static Model ModelOf(Case test)
        {
            return TestFiles.Shared(test.Text("model"));
        }

        internal static ContextOptions ContextOptionsOf(Case test, string member = "context")
        {
            var exact = new ContextOptions { CacheTypeK = CacheType.F32, CacheTypeV = CacheType.F32 };
            return test.Fill(exact, member);
        }

        private static Result Tokenize(Case test)
        {
            Tokenizer tokenizer = ModelOf(test).Tokenizer;
            bool add = test.Flag("add_special"), parse = test.Flag("parse_special");
            int[] tokens = test.Has("bytes") ? tokenizer.Encode(test.Bytes(), add, parse)
                                             : tokenizer.Encode(test.Text("text"), add, parse);
            return new Result { { "tokens", tokens } };
        }

        private static Result Detokenize(Case test)
        {
            byte[] bytes = ModelOf(test).Tokenizer.DecodeBytes(test.Numbers("tokens"), test.Flag("special"));
            return new Result { { "bytes", Case.ToHex(bytes) } };
        }

        private static Result Piece(Case test)
        {
            byte[] bytes = ModelOf(test).Tokenizer.GetPiece(test.Number("token"), test.Flag("special"));
            return new Result { { "bytes", Case.ToHex(bytes) } };
        }

        private static Result SpecialTokens(Case test)
        {
            Tokenizer tokenizer = ModelOf(test).Tokenizer;
            return new Result
            {
                { "begin", tokenizer.GetSpecialToken(SpecialToken.Begin) ?? -1 },
                { "end", tokenizer.GetSpecialToken(SpecialToken.End) ?? -1 },
                { "end_of_turn", tokenizer.GetSpecialToken(SpecialToken.EndOfTurn) ?? -1 },
                { "unknown", tokenizer.GetSpecialToken(SpecialToken.Unknown) ?? -1 },
                { "padding", tokenizer.GetSpecialToken(SpecialToken.Padding) ?? -1 },
                { "separator", tokenizer.GetSpecialToken(SpecialToken.Separator) ?? -1 }
            };
        }

        private static Result Info(Case test)
        {
            ModelInfo info = ModelOf(test).Info;
            return new Result
            {
                { "architecture", info.Architecture }, { "name", info.Name },
                { "vocabulary_size", info.VocabularySize }, { "context_length", info.ContextLength },
                { "embedding_length", info.EmbeddingLength }, { "layer_count", info.LayerCount },
                { "parameter_count", info.ParameterCount }, { "generates", info.Generates }, { "embeds", info.Embeds }
            };
        }

        private static Result MetadataOf(Case test)
        {
            Metadata metadata = ModelOf(test).Metadata;
            string key = test.Text("key");
            MetadataValue value;
            if (!metadata.TryGetValue(key, out value)) return new Result { { "value", null } };
            if (value.Type != MetadataType.Array) return new Result { { "value", Plain(value.Value) } };
            var elements = new List<object>();
            for (long i = 0; i < (long)value.Count; ++i) elements.Add(Plain(metadata.GetElement(key, i).Value));
            return new Result { { "value", elements } };
        }

        // Integers past 2^53 are text in the cases, switches are numbers.
        private static object Plain(object value)
        {
            const long limit = 1L << 53;
            if (value is bool) return (bool)value ? 1 : 0;
            if (value is ulong && (ulong)value > limit) return value.ToString();
            if (value is long && ((long)value > limit || (long)value < -limit)) return value.ToString();
            return value;
        }

        private static ChatOptions ChatOptionsOf(Case test)
        {
            ChatOptions options = test.Fill(new ChatOptions(), "chat");
            options.TemplateName = test.Text("template");
            if (test.Has("now"))
            {
                int offset = int.Parse(options.Get("utc_offset") ?? "0");
                options.Now = DateTimeOffset.FromUnixTimeSeconds((long)test.Get("now"))
                    .ToOffset(TimeSpan.FromSeconds(offset));
            }
            return options;
        }

        private static Result ChatRender(Case test)
        {
            string text = ModelOf(test).ChatTemplate.Render(test.Text("request"), ChatOptionsOf(test));
            return new Result { { "text", text } };
        }

        private static Result ChatTokenize(Case test)
        {
            int[] tokens = ModelOf(test).ChatTemplate.Tokenize(test.Text("request"), ChatOptionsOf(test));
            return new Result { { "tokens", tokens } };
        }

        private static Result ChatSource(Case test)
        {
            return new Result { { "text", ModelOf(test).ChatTemplate.GetSource(test.Text("template")) } };
        }

        private static Result Option(Case test)
        {
            var groups = new Dictionary<string, Options>
            {
                { "model", new ModelOptions() }, { "context", new ContextOptions() },
                { "sampler", new SamplerOptions() }, { "generation", new GenerationOptions() },
                { "chat", new ChatOptions() }
            };
            groups[test.Text("group")].Set(test.Text("option"), test.Text("value"));
            return new Result { { "set", true } };
        }

        private static Result Open(Case test)
        {
            ModelOptions options = test.Fill(new ModelOptions(), "options");
            string path = test.Has("file") ? TestFiles.PathOf(test.Text("file")) : null;
            bool fromMemory = path == null || test.Flag("memory");
            using (Model model = fromMemory
                       ? Model.FromBytes(path == null ? test.Bytes() : File.ReadAllBytes(path), options)
                       : new Model(path, options))
            {
                if (test.Flag("with_context")) new Context(model, ContextOptionsOf(test)).Dispose();
                return new Result { { "name", model.Info.Name } };
            }
        }
    }
}
