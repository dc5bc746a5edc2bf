// Kinds of conformance cases that evaluate tokens.
using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;

namespace LibLlm.Tests
{
    using Result = Dictionary<string, object>;

    internal static class Evaluations
    {
        private static readonly Dictionary<FinishReason, string> finishNames = new Dictionary<FinishReason, string>
        {
            { FinishReason.None, "none" }, { FinishReason.EndToken, "end_token" }, { FinishReason.Stop, "stop" },
            { FinishReason.Length, "length" }, { FinishReason.ContextFull, "context_full" }
        };

        internal static Result Generate(Case test)
        {
            Model model = Kinds.ModelOf(test);
            GenerationOptions options = test.Fill(new GenerationOptions(), "generation");
            foreach (object stop in test.List("stops")) options.Stops.Add((string)stop);
            int[] prompt = test.Has("prompt") ? Prompt(test, model) : test.Numbers("tokens");
            bool? cancelled = null;
            var chunks = new List<Chunk>();
            using (var context = new Context(model, Kinds.ContextOptionsOf(test)))
            using (var sampler = new Sampler(SamplerOptionsOf(test)))
            using (Generation generation = context.Generate(sampler, prompt, options))
            {
                if (test.Has("after")) cancelled = CancelAfter(test.Number("after"), context, generation, chunks);
                chunks.AddRange(generation);
            }
            Result result = ResultOf(chunks, options.Logprobs > 0);
            if (cancelled != null) result.Add("cancelled", cancelled);
            return result;
        }

        internal static Result Fork(Case test)
        {
            Model model = Kinds.ModelOf(test);
            ContextOptions options = Kinds.ContextOptionsOf(test);
            options.MaxSequences = 2;
            using (var context = new Context(model, options))
            {
                context.Eval(Prompt(test, model));
                context.Fork(0, 1);
                return new Result
                {
                    { "first", Follow(test, context, Continuation(test, model, "first")) },
                    { "second", Follow(test, context, Continuation(test, model, "second"), 1) }
                };
            }
        }

        internal static Result Rewind(Case test)
        {
            Model model = Kinds.ModelOf(test);
            using (var context = new Context(model, Kinds.ContextOptionsOf(test)))
            {
                context.Eval(Prompt(test, model));
                context.Truncate(test.Number("length"));
                return new Result { { "tokens", Follow(test, context, Continuation(test, model)) } };
            }
        }

        internal static Result Reuse(Case test)
        {
            Model model = Kinds.ModelOf(test);
            using (var context = new Context(model, Kinds.ContextOptionsOf(test)))
            {
                context.Eval(Prompt(test, model));
                int[] next = model.Tokenizer.Encode(test.Text("next"));
                int kept = context.ReusePrefix(next);
                int[] left = next.Skip(kept).ToArray();
                return new Result { { "kept", kept }, { "tokens", Follow(test, context, left) } };
            }
        }

        internal static Result State(Case test)
        {
            Model model = Kinds.ModelOf(test);
            using (var from = new Context(model, Kinds.ContextOptionsOf(test)))
            using (var to = new Context(model, Kinds.ContextOptionsOf(test, "into")))
            {
                from.Eval(Prompt(test, model));
                if (test.Flag("file"))
                    MoveByFile(from, to);
                else
                    MoveByBytes(from, to, test.Text("damage"));
                int length = to.GetSequenceLength();
                return new Result
                {
                    { "length", length }, { "tokens", Follow(test, to, Continuation(test, model)) }
                };
            }
        }

        internal static Result Logits(Case test)
        {
            int[] tokens = test.Numbers("tokens");
            var rows = new List<float[]>();
            using (var context = new Context(Kinds.ModelOf(test), Kinds.ContextOptionsOf(test)))
            {
                context.Eval(tokens, 0, KeepLogits.All);
                for (int row = 0; row < tokens.Length; ++row)
                {
                    float[] all = context.GetLogits(row);
                    rows.Add(test.Numbers("columns").Select(column => all[column]).ToArray());
                }
            }
            return new Result { { "rows", rows } };
        }

        internal static Result Eval(Case test)
        {
            using (var context = new Context(Kinds.ModelOf(test), Kinds.ContextOptionsOf(test)))
            {
                foreach (object call in test.List("calls")) context.Eval(Case.NumbersOf(call));
                ContextCounters counters = context.Counters;
                return new Result
                {
                    { "length", context.GetSequenceLength() }, { "prompt_tokens", counters.PromptTokens },
                    { "single_tokens", counters.SingleTokens }
                };
            }
        }

        internal static Result BatchOf(Case test)
        {
            var names = new Dictionary<string, KeepLogits>
            {
                { "last", KeepLogits.Last }, { "all", KeepLogits.All }, { "none", KeepLogits.None }
            };
            var firstRows = new List<int>();
            int rows = 0;
            using (var context = new Context(Kinds.ModelOf(test), Kinds.ContextOptionsOf(test)))
            using (var batch = new Batch())
            {
                foreach (Case entry in test.List("entries").Select(e => new Case(e)))
                {
                    KeepLogits logits = names[entry.Text("logits")];
                    int[] tokens = entry.Numbers("tokens");
                    firstRows.Add(batch.Add(tokens, entry.Number("sequence"), logits));
                    rows += logits == KeepLogits.All ? tokens.Length : logits == KeepLogits.Last ? 1 : 0;
                }
                context.Eval(batch);
                return new Result
                {
                    { "first_rows", firstRows },
                    { "best", Enumerable.Range(0, rows).Select(row => Best(context.GetLogits(row))).ToArray() },
                    { "lengths", Enumerable.Range(0, 3).Select(context.GetSequenceLength).ToArray() }
                };
            }
        }

        internal static Result Sample(Case test)
        {
            using (var context = new Context(Kinds.ModelOf(test), Kinds.ContextOptionsOf(test)))
            using (var sampler = new Sampler(SamplerOptionsOf(test)))
            {
                context.Eval(test.Numbers("tokens"));
                int count = test.Number("count"), half = count / 2;
                List<int> tokens = SampleTimes(sampler, context, half);
                using (Sampler clone = sampler.Clone())
                {
                    tokens.AddRange(SampleTimes(sampler, context, count - half));
                    List<int> cloned = SampleTimes(clone, context, count - half);
                    sampler.Reset();
                    return new Result
                    {
                        { "tokens", tokens }, { "clone", cloned }, { "again", SampleTimes(sampler, context, count) }
                    };
                }
            }
        }

        internal static Result Embed(Case test)
        {
            Model model = Kinds.ModelOf(test);
            int[] tokens = test.Has("text") ? model.Tokenizer.Encode(test.Text("text")) : test.Numbers("tokens");
            var pooling = (Pooling)Enum.Parse(typeof(Pooling), test.Text("pooling"), true);
            using (var context = new Context(model, Kinds.ContextOptionsOf(test)))
                return new Result { { "embedding", context.Embed(tokens, pooling, test.Flag("normalize")) } };
        }

        private static SamplerOptions SamplerOptionsOf(Case test)
        {
            return test.Fill(new SamplerOptions { Temperature = 0 }, "sampler");
        }

        private static bool CancelAfter(int count, Context context, Generation generation, List<Chunk> chunks)
        {
            for (int i = 0; i < count; ++i) chunks.Add(generation.Next());
            context.Cancel();
            try
            {
                chunks.Add(generation.Next());
                return false;
            }
            catch (OperationCanceledException)
            {
                return true;
            }
        }

        private static Result ResultOf(List<Chunk> chunks, bool withLogprobs)
        {
            var result = new Result
            {
                { "tokens", chunks.Select(c => c.Token).ToArray() },
                { "chunks", chunks.Select(c => c.Text).ToArray() },
                { "text", string.Concat(chunks.Select(c => c.Text)) },
                { "finish", finishNames[chunks.Last().FinishReason] }
            };
            if (!withLogprobs) return result;
            result.Add("logprobs", chunks.Select(c => c.Logprob.Value).ToArray());
            result.Add("top", chunks.Select(c => c.Top.Select(t => new object[] { t.Token, t.Logprob }).ToArray())
                                  .ToArray());
            return result;
        }

        // The ids that follow a prompt in a sequence, by greedy choice.
        private static int[] Follow(Case test, Context context, int[] prompt, int sequence = 0)
        {
            var options = new GenerationOptions { MaxTokens = test.Number("count"), Sequence = sequence };
            using (Sampler sampler = TestFiles.Greedy())
                return context.Generate(sampler, prompt, options).Select(chunk => chunk.Token).ToArray();
        }

        private static int[] Prompt(Case test, Model model)
        {
            return model.Tokenizer.Encode(test.Text("prompt"));
        }

        private static int[] Continuation(Case test, Model model, string member = "text")
        {
            return model.Tokenizer.Encode(test.Text(member), false);
        }

        private static void MoveByFile(Context from, Context to)
        {
            string path = Path.GetTempFileName();
            try
            {
                from.SaveState(path);
                to.RestoreState(path);
            }
            finally
            {
                File.Delete(path);
            }
        }

        private static void MoveByBytes(Context from, Context to, string damage)
        {
            byte[] state = from.SaveState();
            if (damage == "truncate") Array.Resize(ref state, state.Length - 1);
            if (damage == "flip") state[state.Length / 2] ^= 1;
            to.RestoreState(state);
        }

        private static int Best(float[] logits)
        {
            return Array.IndexOf(logits, logits.Max());
        }

        private static List<int> SampleTimes(Sampler sampler, Context context, int count)
        {
            var tokens = new List<int>();
            for (int i = 0; i < count; ++i) tokens.Add(sampler.Sample(context));
            return tokens;
        }
    }
}
