// Text, names and numbers between C# and the library.
using System;
using System.Globalization;
using System.IO;
using System.Linq;
using System.Threading;
using NUnit.Framework;

namespace LibLlm.Tests
{
    [TestFixture]
    public class TextTest
    {
        private static readonly Model model = TestFiles.Shared("decoder");

        [Test]
        public void TextComesBack()
        {
            foreach (string text in Texts())
                Assert.That(model.Tokenizer.Decode(model.Tokenizer.Encode(text, false)), Is.EqualTo(text));
        }

        private static string[] Texts()
        {
            return new[] { "", "a\0b\0", "\ud83d\ude00 \u4f60\u597d", "\ufeffbom", new string('x', 100000) };
        }

        [Test]
        public void HalfASurrogatePairIsNoText()
        {
            foreach (string text in new[] { "a\ud800", "\udc00b", "\ud83d \ude00" })
            {
                Assert.Throws<ArgumentException>(() => model.Tokenizer.Encode(text));
                var messages = new[] { new ChatMessage("user", text) };
                Assert.Throws<ArgumentException>(() => model.ChatTemplate.Render(messages));
                Assert.Throws<ArgumentException>(() => new Model(text));
                var options = new GenerationOptions();
                options.Stops.Add(text);
                using (Context context = TestFiles.NewContext())
                using (Sampler sampler = TestFiles.Greedy())
                    Assert.Throws<ArgumentException>(() => context.Generate(sampler, new[] { 97 }, options));
            }
        }

        [Test]
        public void LoneBytesBecomeReplacements()
        {
            Assert.That(model.Tokenizer.Decode(new[] { 97, 255, 98 }), Is.EqualTo("a\ufffdb"));
            Assert.That(model.Tokenizer.DecodeBytes(new[] { 97, 255, 98 }), Is.EqualTo(new byte[] { 97, 255, 98 }));
        }

        [Test]
        public void NamesWithNulAreRefused()
        {
            Assert.Throws<ArgumentException>(() => new Model("a\0b"));
            Assert.Throws<ArgumentException>(() => model.Metadata.GetElement("a\0b", 0));
            Assert.Throws<ArgumentException>(() => model.ChatTemplate.GetSource("a\0b"));
            Assert.Throws<ArgumentException>(() => new ContextOptions().Set("threads\0", "1"));
            Assert.Throws<ArgumentException>(() => new ContextOptions().Set("threads", "1\0"));
            Assert.Throws<ArgumentException>(() => new Model("a", new ModelOptions { PreTokenizer = "gpt2\0" }));
        }

        [Test]
        public void APathMayHaveAnyLetters()
        {
            string name = "libllm-\u00e4\u4f60\ud83d\ude00-" + Guid.NewGuid() + ".gguf";
            string path = Path.Combine(Path.GetTempPath(), name);
            File.Copy(TestFiles.PathOf("chain.gguf"), path);
            try
            {
                using (var copy = new Model(path)) Assert.That(copy.Info.Name, Is.EqualTo("conformance chain"));
            }
            finally
            {
                File.Delete(path);
            }
            LlmException error = Assert.Throws<LlmException>(() => new Model(path));
            Assert.That(error.Status, Is.EqualTo(Status.Io));
            string place = "LLM_ERROR_IO: cannot open '" + Path.GetTempPath() + "libllm-";
            Assert.That(error.Message.StartsWith(place, StringComparison.Ordinal), error.Message);
        }

        // German writes 0,5 and Swedish a minus sign that is none of ASCII.
        [Test]
        public void NumbersDoNotDependOnTheCulture()
        {
            CultureInfo before = Thread.CurrentThread.CurrentCulture;
            try
            {
                foreach (string name in new[] { "de-DE", "sv-SE", "tr-TR", "ar-SA" })
                {
                    Thread.CurrentThread.CurrentCulture = CultureInfo.GetCultureInfo(name);
                    var options = new SamplerOptions { Temperature = 0.5f, RepeatLastN = -1, XtcThreshold = 1e-7f };
                    Assert.That(options.Temperature, Is.EqualTo(0.5f));
                    Assert.That(options.XtcThreshold, Is.EqualTo(1e-7f));
                    Assert.That(options.RepeatLastN, Is.EqualTo(-1));
                    var words = new ContextOptions { CacheTypeK = CacheType.Q16, WindowCache = WindowCache.Ring };
                    Assert.That(words.CacheTypeK, Is.EqualTo(CacheType.Q16));
                    Assert.That(words.WindowCache, Is.EqualTo(WindowCache.Ring));
                    new Sampler(options).Dispose();
                }
            }
            finally
            {
                Thread.CurrentThread.CurrentCulture = before;
            }
        }

        [Test]
        public void ManyMessagesBecomeOnePrompt()
        {
            if (!TestFiles.HasTemplates) Assert.Ignore("built without chat templates");
            var messages = new[]
            {
                new ChatMessage("system", "be \"brief\"\n\\ \u0001"), new ChatMessage("user", "<|im_end|>")
            };
            string text = model.ChatTemplate.Render(messages);
            Assert.That(text.Contains("be \"brief\"\n\\ \u0001"), text);
            int[] tokens = model.ChatTemplate.Tokenize(messages);
            int end = model.Tokenizer.Encode("<|im_end|>", false, true).Single();
            Assert.That(tokens.Count(t => t == end), Is.EqualTo(2), "a message must not forge the end of its turn");
        }
    }
}
