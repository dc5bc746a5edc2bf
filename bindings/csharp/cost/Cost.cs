// The time of generated tokens through the public classes: Cost MODEL TOKENS. See bindings/cost/README.md.
using System;
using System.Diagnostics;
using System.Globalization;
using System.Text;
using LibLlm;

internal static class Cost
{
    private static void Main(string[] arguments)
    {
        int count = int.Parse(arguments[1], CultureInfo.InvariantCulture);
        using (var model = new Model(arguments[0]))
        using (var context = new Context(model))
        using (var sampler = new Sampler(new SamplerOptions { Temperature = 0 }))
        {
            long tokens = 0, checksum = 0;
            Stopwatch watch = null;
            foreach (Chunk chunk in context.Generate(sampler, model.Tokenizer.Encode("Once upon a time"),
                                                     new GenerationOptions { MaxTokens = count + 1 }))
            {
                if (watch == null)
                {
                    watch = Stopwatch.StartNew(); // the first token brings the prompt's evaluation with it
                    continue;
                }
                ++tokens;
                checksum += chunk.Token + Encoding.UTF8.GetByteCount(chunk.Text);
            }
            Console.WriteLine(string.Format(CultureInfo.InvariantCulture,
                                            "{{\"tokens\": {0}, \"seconds\": {1:F6}, \"checksum\": {2}}}", tokens,
                                            watch.Elapsed.TotalSeconds, checksum));
        }
    }
}
