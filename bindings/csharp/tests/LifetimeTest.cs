// What is disposed of, in any order, once or twice, and while it is used: all is defined and nothing crashes.
using System;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using NUnit.Framework;

namespace LibLlm.Tests
{
    [TestFixture]
    public class LifetimeTest
    {
        private static readonly int[] tokens = { 97, 98, 99 };

        [Test]
        public void AfterDisposeEverythingThrows()
        {
            var model = new Model(TestFiles.PathOf("decoder.gguf"));
            Tokenizer tokenizer = model.Tokenizer;
            Metadata metadata = model.Metadata;
            ChatTemplate template = model.ChatTemplate;
            model.Dispose();
            model.Dispose();
            AllThrow<ObjectDisposedException>(
                () => Use(model.Info), () => Use(model.Support), () => model.GetTensors(),
                () => model.EstimateMemory(),
                () => new Context(model), () => new Sampler(new SamplerOptions(model)), () => tokenizer.Encode("a"),
                () => tokenizer.Decode(tokens), () => tokenizer.GetPiece(1), () => tokenizer.GetToken(1),
                () => tokenizer.GetSpecialToken(SpecialToken.Begin), () => Use(metadata.Count),
                () => Use(metadata["general.name"]), () => Use(template.Names), () => template.GetSource(),
                () => template.Render(new[] { new ChatMessage("user", "a") }));
        }

        [Test]
        public void AfterDisposeOfAContextEverythingThrows()
        {
            Context context = TestFiles.NewContext();
            Sampler sampler = TestFiles.Greedy();
            Generation generation = context.Generate(sampler, tokens);
            generation.Next();
            context.Dispose();
            context.Dispose();
            context.Cancel(); // does nothing
            AllThrow<ObjectDisposedException>(
                () => context.Eval(tokens), () => context.GetLogits(), () => context.GetLogprobs(1),
                () => context.Embed(tokens), () => context.GetSequenceLength(), () => context.Truncate(0),
                () => context.Remove(0), () => context.Fork(0, 1), () => context.ReusePrefix(tokens),
                () => context.SaveState(), () => context.RestoreState(new byte[1]), () => Use(context.Info),
                () => Use(context.Counters), () => context.ResetCounters(), () => context.SetThreads(1),
                () => sampler.Sample(context), () => generation.Next(), () => context.Generate(sampler, tokens));
            generation.Dispose();
            generation.Dispose();
            sampler.Dispose();
            sampler.Dispose();
            AllThrow<ObjectDisposedException>(() => sampler.Reset(), () => sampler.Clone(),
                                              () => sampler.Accept(tokens), () => Use(sampler.Seed));
            var batch = new Batch();
            batch.Dispose();
            batch.Dispose();
            AllThrow<ObjectDisposedException>(() => batch.Add(tokens, 0), () => batch.Clear());
        }

        [Test]
        public void NullIsRefused()
        {
            Model model = TestFiles.Shared("decoder");
            using (Context context = TestFiles.NewContext())
            using (Sampler sampler = TestFiles.Greedy())
            using (var batch = new Batch())
            {
                AllThrow<ArgumentNullException>(
                    () => new Model(null), () => Model.FromBytes(null), () => new Context(null),
                    () => new SamplerOptions(null), () => model.Tokenizer.Encode((string)null),
                    () => model.Tokenizer.Encode((byte[])null), () => model.Tokenizer.Decode(null),
                    () => Use(model.Metadata[null]), () => model.Metadata.GetElement("a", null),
                    () => model.ChatTemplate.Render((string)null), () => new ChatMessage(null, "a"),
                    () => context.Eval((int[])null), () => context.Eval((Batch)null), () => context.Embed(null),
                    () => context.ReusePrefix(null), () => context.RestoreState((byte[])null),
                    () => context.SaveState(null), () => context.RestoreState((string)null),
                    () => context.Generate(null, tokens), () => context.Generate(sampler, null),
                    () => new Generation(null, sampler, tokens), () => sampler.Accept(null), () => sampler.Sample(null),
                    () => batch.Add(null, 0), () => new ContextOptions().Set(null, "1"));
            }
        }

        [Test]
        public void ParentsMayGoFirst()
        {
            using (var model = new Model(TestFiles.PathOf("chain.gguf")))
            {
                int[] prompt = model.Tokenizer.Encode("A");
                var context = new Context(model);
                Sampler sampler = TestFiles.Greedy();
                model.Dispose();
                Generation generation = context.Generate(sampler, prompt);
                sampler.Dispose();
                Assert.That(generation.ReadToEnd(), Is.EqualTo(" box:\ud83d\ude00!"));
                context.Dispose();
                generation.Dispose();
            }
        }

        [Test]
        public void ADisposeMayComeDuringACall()
        {
            int[] prompt = Enumerable.Repeat(97, 100).ToArray();
            int whole = 0;
            for (int i = 0; i < 200; ++i)
            {
                Context context = TestFiles.NewContext();
                var started = new ManualResetEventSlim();
                Task use = Task.Run(() =>
                {
                    started.Set();
                    for (;;)
                    {
                        context.Eval(prompt);
                        context.GetLogits();
                        context.Truncate(0);
                        ++whole;
                    }
                });
                started.Wait();
                Thread.SpinWait(100 * i);
                context.Dispose();
                Exception error = Assert.Throws<AggregateException>(use.Wait).InnerException;
                Assert.That(error, Is.InstanceOf<ObjectDisposedException>());
            }
            Console.WriteLine("{0} evaluations before", whole);
        }

        [Test]
        public void AModelMayBeDisposedOfWhileThreadsUseIt()
        {
            for (int i = 0; i < 20; ++i)
            {
                var model = new Model(TestFiles.PathOf("decoder.gguf"));
                Task[] uses = Enumerable.Range(0, 3).Select(n => Task.Run(() =>
                {
                    for (;;)
                    {
                        model.Tokenizer.Encode("the cat sat on the mat");
                        Use(model.Metadata["conformance.text"].Value);
                        model.Tokenizer.GetToken(n);
                    }
                })).ToArray();
                Thread.Sleep(2);
                model.Dispose();
                foreach (Task use in uses)
                {
                    Exception error = Assert.Throws<AggregateException>(use.Wait).InnerException;
                    Assert.That(error, Is.InstanceOf<ObjectDisposedException>());
                }
            }
        }

        [Test]
        public void TwoThreadsInOneContextAreFoundOut()
        {
            int[] prompt = Enumerable.Repeat(97, 400).ToArray();
            int busy = 0, done = 0;
            using (Context context = TestFiles.NewContext(512))
            {
                Parallel.For(0, 4, new ParallelOptions { MaxDegreeOfParallelism = 4 }, n =>
                {
                    for (int i = 0; i < 100; ++i)
                    {
                        try
                        {
                            context.Eval(prompt);
                            context.GetLogits();
                            context.Truncate(0);
                            Interlocked.Increment(ref done);
                        }
                        catch (LlmException error)
                        {
                            Assert.That(error.Status, Is.EqualTo(Status.Busy).Or.EqualTo(Status.State)
                                                          .Or.EqualTo(Status.ContextFull));
                            if (error.Status == Status.Busy) Interlocked.Increment(ref busy);
                        }
                    }
                });
                context.Truncate(0);
                context.Eval(tokens);
                Assert.That(context.GetSequenceLength(), Is.EqualTo(3));
            }
            Console.WriteLine("{0} busy, {1} done", busy, done);
            Assert.That(busy, Is.GreaterThan(0));
        }

        private static void Use(object value) { }

        private static void AllThrow<T>(params Action[] calls) where T : Exception
        {
            for (int i = 0; i < calls.Length; ++i)
                Assert.Throws<T>(new TestDelegate(calls[i]), "call " + i);
        }
    }
}
