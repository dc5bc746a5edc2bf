// Generations as loops, awaited and not, and their cancellation.
using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using NUnit.Framework;

namespace LibLlm.Tests
{
    [TestFixture]
    public class StreamTest
    {
        private static readonly int[] prompt = { 297, 116, 104, 101, 32, 99, 97, 116 };
        private static readonly GenerationOptions forty = new GenerationOptions { MaxTokens = 40 };

        [Test]
        public void AllWaysGiveTheSameText()
        {
            string wanted = InOnePiece();
            Assert.That(wanted, Is.Not.Empty);
            using (Context context = TestFiles.NewContext())
            using (Sampler sampler = TestFiles.Greedy())
            {
                Assert.That(string.Concat(context.Generate(sampler, prompt, forty)), Is.EqualTo(wanted));
                context.Truncate(0);
                Assert.That(Awaited(context, sampler, CancellationToken.None).Result, Is.EqualTo(wanted));
            }
        }

        [Test]
        public void ALoopEndsTheGeneration()
        {
            using (Context context = TestFiles.NewContext())
            using (Sampler sampler = TestFiles.Greedy())
            {
                Generation generation = context.Generate(sampler, prompt, forty);
                foreach (Chunk chunk in generation) break;
                Assert.Throws<ObjectDisposedException>(() => generation.Next());
                Assert.Throws<ObjectDisposedException>(() => generation.Count());
            }
        }

        [Test]
        public void NextGivesNullAtTheEnd()
        {
            using (Context context = TestFiles.NewContext())
            using (Sampler sampler = TestFiles.Greedy())
            using (Generation generation =
                       context.Generate(sampler, prompt, new GenerationOptions { MaxTokens = 2, Logprobs = 3 }))
            {
                Chunk first = generation.Next(), last = generation.Next();
                Assert.That(first.FinishReason, Is.EqualTo(FinishReason.None));
                Assert.That(last.FinishReason, Is.EqualTo(FinishReason.Length));
                Assert.That(first.Top.Count, Is.EqualTo(3));
                Assert.That(first.Top[0].Token, Is.EqualTo(first.Token));
                Assert.That(first.Top[0].Logprob, Is.EqualTo(first.Logprob.Value));
                Assert.That(generation.Next(), Is.Null);
                Assert.That(generation.Next(), Is.Null);
                Assert.That(context.Counters.FirstTokenTime, Is.GreaterThan(TimeSpan.Zero));
            }
        }

        [Test]
        public void ACancelledTokenStopsAtOnce()
        {
            var cancelled = new CancellationToken(true);
            using (Context context = TestFiles.NewContext())
            using (Sampler sampler = TestFiles.Greedy())
            using (Generation generation = context.Generate(sampler, prompt, forty))
            {
                Assert.Throws<OperationCanceledException>(() => context.Eval(prompt, 0, KeepLogits.Last, cancelled));
                Assert.Throws<OperationCanceledException>(() => generation.Next(cancelled));
                AggregateException error =
                    Assert.Throws<AggregateException>(() => Awaited(context, sampler, cancelled).Wait());
                Assert.That(error.InnerException, Is.InstanceOf<OperationCanceledException>());
                Assert.That(context.GetSequenceLength(), Is.EqualTo(0));
                Assert.That(generation.ReadToEnd(), Is.EqualTo(InOnePiece()));
            }
        }

        [Test]
        public void EitherTokenStopsALoop()
        {
            foreach (bool isFirst in new[] { true, false })
            {
                using (Context context = TestFiles.NewContext())
                using (Sampler sampler = TestFiles.Greedy())
                using (var first = new CancellationTokenSource())
                using (var second = new CancellationTokenSource())
                {
                    Generation generation = context.Generate(sampler, prompt, forty);
                    IAsyncEnumerator<Chunk> steps =
                        generation.ReadAllAsync(first.Token).GetAsyncEnumerator(second.Token);
                    Assert.That(steps.MoveNextAsync().AsTask().Result);
                    (isFirst ? first : second).Cancel();
                    AggregateException error =
                        Assert.Throws<AggregateException>(() => steps.MoveNextAsync().AsTask().Wait());
                    Assert.That(error.InnerException, Is.InstanceOf<OperationCanceledException>());
                    steps.DisposeAsync().AsTask().Wait();
                    Assert.Throws<ObjectDisposedException>(() => generation.Next());
                }
            }
        }

        // A token is cancelled before, in and after calls. What follows without a token is never cancelled.
        [Test]
        public void ACancellationNeverHitsALaterCall()
        {
            int[] longPrompt = Enumerable.Repeat(97, 500).ToArray();
            int stopped = 0, late = 0;
            using (Context context = TestFiles.NewContext(512))
            {
                for (int i = 0; i < 300; ++i)
                {
                    using (var source = new CancellationTokenSource())
                    {
                        var ready = new ManualResetEventSlim();
                        Task cancelling = Task.Run(() =>
                        {
                            ready.Set();
                            Thread.SpinWait(200 * i);
                            source.Cancel();
                        });
                        ready.Wait();
                        try
                        {
                            context.Eval(longPrompt, 0, KeepLogits.Last, source.Token);
                            ++late;
                        }
                        catch (OperationCanceledException)
                        {
                            ++stopped;
                            Assert.That(context.GetSequenceLength(), Is.EqualTo(0));
                        }
                        cancelling.Wait();
                    }
                    context.Truncate(0);
                    context.Eval(prompt);
                    Assert.That(context.GetSequenceLength(), Is.EqualTo(prompt.Length));
                    context.Truncate(0);
                }
            }
            Console.WriteLine("{0} stopped, {1} too late", stopped, late);
            Assert.That(stopped, Is.GreaterThan(0));
        }

        [Test]
        public void CancelWithoutACallStopsTheNext()
        {
            using (Context context = TestFiles.NewContext())
            {
                context.Cancel();
                Assert.Throws<OperationCanceledException>(() => context.Eval(prompt));
                context.Eval(prompt);
                Assert.That(context.GetSequenceLength(), Is.EqualTo(prompt.Length));
            }
        }

        private static string InOnePiece()
        {
            using (Context context = TestFiles.NewContext())
            using (Sampler sampler = TestFiles.Greedy())
            using (Generation generation = context.Generate(sampler, prompt, forty)) return generation.ReadToEnd();
        }

        private static async Task<string> Awaited(Context context, Sampler sampler, CancellationToken token)
        {
            string text = "";
            IAsyncEnumerator<Chunk> chunks =
                context.Generate(sampler, prompt, forty).ReadAllAsync(token).GetAsyncEnumerator();
            try
            {
                while (await chunks.MoveNextAsync()) text += chunks.Current.Text;
            }
            finally
            {
                await chunks.DisposeAsync();
            }
            return text;
        }
    }
}
