// Options by property and by name, and the table of them.
using System;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;
using System.Reflection;
using NUnit.Framework;

namespace LibLlm.Tests
{
    [TestFixture]
    public class OptionsTest
    {
        private static readonly Dictionary<OptionGroup, Func<Options>> kinds =
            new Dictionary<OptionGroup, Func<Options>>
        {
            { OptionGroup.Model, () => new ModelOptions() }, { OptionGroup.Context, () => new ContextOptions() },
            { OptionGroup.Sampler, () => new SamplerOptions() },
            { OptionGroup.Generation, () => new GenerationOptions() }, { OptionGroup.Chat, () => new ChatOptions() }
        };

        [Test]
        public void TheWholeTableCanBeSet()
        {
            foreach (KeyValuePair<OptionGroup, Func<Options>> kind in kinds)
            {
                IReadOnlyList<OptionInfo> table = Library.Options(kind.Key);
                Assert.That(table, Is.Not.Empty);
                foreach (OptionInfo option in table)
                {
                    Options options = kind.Value();
                    string value = option.Type == OptionType.Choice
                        ? option.Choices.Last()
                        : option.Minimum.ToString("R", CultureInfo.InvariantCulture);
                    options.Set(option.Name, value);
                    Assert.That(options.Get(option.Name), Is.EqualTo(value));
                    Assert.That(option.Help, Is.Not.Empty);
                    if (option.Type == OptionType.Choice)
                        Assert.Throws<LlmException>(() => options.Set(option.Name, "none of them"));
                    else
                        Assert.Throws<LlmException>(() => options.Set(option.Name, "-1e300"));
                    Assert.That(options.Get(option.Name), Is.EqualTo(value), "a failed Set() changes nothing");
                }
            }
            Assert.That(Library.Options((OptionGroup)99), Is.Empty);
        }

        // The words of a choice are the members of its enumeration, and every number has a property of its type.
        [Test]
        public void EveryOptionHasAProperty()
        {
            foreach (KeyValuePair<OptionGroup, Func<Options>> kind in kinds)
            {
                foreach (OptionInfo option in Library.Options(kind.Key))
                {
                    if (option.Name == "utc_offset") continue; // part of ChatOptions.Now
                    Options options = kind.Value();
                    string name = string.Concat(
                        option.Name.Split('_').Select(word => char.ToUpperInvariant(word[0]) + word.Substring(1)));
                    PropertyInfo property = options.GetType().GetProperty(name);
                    Assert.That(property, Is.Not.Null, name);
                    Assert.That(property.GetValue(options, null), Is.Null, name);
                    options.Set(option.Name, option.Type == OptionType.Choice ? option.Choices.Last() : "1");
                    object value = property.GetValue(options, null);
                    Assert.That(value, Is.Not.Null, name);
                    Options other = kind.Value();
                    property.SetValue(other, value, null);
                    Assert.That(other.Get(option.Name), Is.EqualTo(options.Get(option.Name)), name);
                    property.SetValue(other, null, null);
                    Assert.That(other.Get(option.Name), Is.Null, name);
                }
            }
        }

        [Test]
        public void NumbersMayBeWrittenInAnyWay()
        {
            var options = new ContextOptions();
            options.Set("threads", "1e1");
            Assert.That(options.Threads, Is.EqualTo(10));
            options.MaxMemory = 1UL << 52;
            Assert.That(options.MaxMemory, Is.EqualTo(1UL << 52));
            Assert.That(options.Get("max_memory"), Is.EqualTo("4503599627370496"));
        }

        [Test]
        public void OptionsAreInForce()
        {
            Model model = TestFiles.Shared("decoder");
            using (var context = new Context(model, new ContextOptions
            {
                ContextLength = 77, BatchSize = 33, Threads = 1, MaxSequences = 3, CacheTypeK = CacheType.F32
            }))
            {
                ContextInfo info = context.Info;
                Assert.That(new[] { info.ContextLength, info.BatchSize, info.Threads, info.MaxSequences },
                            Is.EqualTo(new[] { 77, 33, 1, 3 }));
                MemoryEstimate memory = model.EstimateMemory(new ContextOptions
                {
                    ContextLength = 77, BatchSize = 33, Threads = 1, MaxSequences = 3, CacheTypeK = CacheType.F32
                });
                Assert.That(memory.CacheBytes, Is.EqualTo(info.CacheBytes));
            }
            using (var sampler = new Sampler(new SamplerOptions { Seed = 4000000000 }))
                Assert.That(sampler.Seed, Is.EqualTo(4000000000));
        }

        [Test]
        public void ABiasForbidsAToken()
        {
            using (Context context = TestFiles.NewContext())
            using (Sampler greedy = TestFiles.Greedy())
            {
                context.Eval(new[] { 297, 97, 98 });
                int best = greedy.Sample(context);
                Assert.That(context.GetLogprobs(1)[0].Token, Is.EqualTo(best));
                var options = new SamplerOptions { Temperature = 0 };
                options.LogitBias[best] = float.NegativeInfinity;
                using (var other = new Sampler(options)) Assert.That(other.Sample(context), Is.Not.EqualTo(best));
            }
        }

        [Test]
        public void SomeCombinationsAreRefused()
        {
            byte[] bytes = System.IO.File.ReadAllBytes(TestFiles.PathOf("chain.gguf"));
            Assert.Throws<ArgumentException>(
                () => Model.FromBytes(bytes, new ModelOptions { Load = LoadMode.Mapped }));
            Assert.Throws<InvalidOperationException>(() => Library.NativeFolder = "/tmp");
            Status status = Assert.Throws<LlmException>(() => Library.SelectKernels("none such")).Status;
            Assert.That(status, Is.EqualTo(Status.Argument));
        }
    }
}
