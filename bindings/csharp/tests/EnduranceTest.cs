// Many of everything: memory stays flat, the garbage collector may come at any time, threads share a model.
using System;
using System.Globalization;
using System.IO;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using NUnit.Framework;

namespace LibLlm.Tests
{
    [TestFixture]
    public class EnduranceTest
    {
        private const string text = "the cat sat on the mat, and then \ud83d\ude00 it rained";

        [Test]
        public void TenThousandContexts()
        {
            Model model = TestFiles.Shared("decoder");
            var options = new ContextOptions { ContextLength = 32, BatchSize = 8, Threads = 1 };
            StaysFlat(10000, i =>
            {
                using (var context = new Context(model, options))
                    if (i % 100 == 0) context.Eval(new[] { 97 });
            });
        }

        [Test]
        public void HundredThousandTokenizations()
        {
            Tokenizer tokenizer = TestFiles.Shared("decoder").Tokenizer;
            int[] wanted = tokenizer.Encode(text);
            StaysFlat(100000, i =>
            {
                int[] tokens = tokenizer.Encode(text);
                if (i % 1000 == 0) Assert.That(tokens, Is.EqualTo(wanted));
            });
        }

        [Test]
        public void TenThousandErrors()
        {
            Tokenizer tokenizer = TestFiles.Shared("decoder").Tokenizer;
            StaysFlat(10000, i => Assert.Throws<LlmException>(() => tokenizer.Decode(new[] { 100000 })));
        }

        // Else none of these tests could fail.
        [Test]
        public void TheMeasureSeesMemory()
        {
            const int megabytes = 32;
            long before = Resident();
            var block = new byte[megabytes << 20];
            for (int i = 0; i < block.Length; i += 4096) block[i] = 1;
            Assert.That(Resident() - before, Is.GreaterThan(megabytes << 19));
            GC.KeepAlive(block);
        }

        // Nothing is disposed of: the finalizers of the handles have to do it, while others work.
        [Test]
        public void TheCollectorMayComeAtAnyTime()
        {
            string wanted = Generate();
            using (var stop = new CancellationTokenSource())
            {
                Task collecting = Task.Run(() =>
                {
                    while (!stop.IsCancellationRequested)
                    {
                        GC.Collect();
                        GC.WaitForPendingFinalizers();
                    }
                });
                long before = Resident();
                Parallel.For(0, 200, new ParallelOptions { MaxDegreeOfParallelism = 3 },
                             i => Assert.That(Generate(), Is.EqualTo(wanted)));
                stop.Cancel();
                collecting.Wait();
                Assert.That(Resident() - before, Is.LessThan(64L << 20));
            }
        }

        [Test]
        public void ThreadsShareAModel()
        {
            Model model = TestFiles.Shared("decoder");
            string wanted = Generate();
            int[] tokens = model.Tokenizer.Encode(text);
            Thread[] threads = Enumerable.Range(0, 8).Select(n => new Thread(() =>
            {
                for (int i = 0; i < 25; ++i)
                {
                    Assert.That(model.Tokenizer.Encode(text), Is.EqualTo(tokens));
                    Assert.That(model.Tokenizer.Decode(tokens), Is.EqualTo(text));
                    Assert.That(model.Metadata["general.architecture"].Value, Is.EqualTo("llama"));
                    Assert.That(Generate(), Is.EqualTo(wanted));
                }
                Interlocked.Increment(ref finished);
            })).ToArray();
            finished = 0;
            foreach (Thread thread in threads) thread.Start();
            foreach (Thread thread in threads) thread.Join();
            Assert.That(finished, Is.EqualTo(8));
        }

        private static int finished;

        // Leaves everything to the collector.
        private static string Generate()
        {
            var context = TestFiles.NewContext(32);
            var generation = new Generation(context, TestFiles.Greedy(), new[] { 297, 116, 104, 101 },
                                            new GenerationOptions { MaxTokens = 8 });
            return generation.ReadToEnd();
        }

        private static void StaysFlat(int times, Action<int> action)
        {
            for (int i = 0; i < times / 10; ++i) action(i);
            GC.Collect();
            long before = Resident();
            for (int i = 0; i < times; ++i) action(i);
            GC.Collect();
            long growth = Resident() - before;
            Console.WriteLine("{0} times: {1} KiB more", times, growth / 1024);
            Assert.That(growth, Is.LessThan(8L << 20));
        }

        // Bytes of this process that are in memory.
        private static long Resident()
        {
            string pages = File.ReadAllText("/proc/self/statm").Split(' ')[1];
            return long.Parse(pages, CultureInfo.InvariantCulture) * Environment.SystemPageSize;
        }
    }
}
