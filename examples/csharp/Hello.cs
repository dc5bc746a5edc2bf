// Continues a text: Hello MODEL TEXT
using System;
using System.Text;
using LibLlm;

internal static class Hello
{
    private static void Main(string[] arguments)
    {
        Console.OutputEncoding = new UTF8Encoding(false); // whatever the locale says
        using (var model = new Model(arguments[0]))
        using (var context = new Context(model))
        using (var sampler = new Sampler(new SamplerOptions { Temperature = 0 }))
            foreach (Chunk chunk in context.Generate(sampler, model.Tokenizer.Encode(arguments[1]),
                                                     new GenerationOptions { MaxTokens = 32 }))
                Console.Write(chunk.Text);
    }
}
