// Continues many texts at once with one model that all threads share: Requests MODEL TEXT...
using System;
using System.Linq;
using System.Text;
using System.Threading.Tasks;
using LibLlm;

internal static class Requests
{
    private static int Main(string[] arguments)
    {
        if (arguments.Length < 2)
        {
            Console.Error.WriteLine("usage: Requests MODEL TEXT...");
            return 2;
        }
        Console.OutputEncoding = new UTF8Encoding(false);
        try
        {
            using (var model = new Model(arguments[0]))
            {
                string[] texts = arguments.Skip(1).ToArray();
                Task<string>[] answers = texts.Select(text => Task.Run(() => Serve(model, text))).ToArray();
                Task.WhenAll(answers).GetAwaiter().GetResult();
                foreach (var pair in texts.Zip(answers, (text, answer) => text + "|" + answer.Result))
                    Console.WriteLine(pair);
            }
            return 0;
        }
        catch (LlmException error)
        {
            Console.Error.WriteLine("{0}: {1}", arguments[0], error.Message);
            return 1;
        }
    }

    // A request's work: everything but the model is its own. The requests themselves keep the processors busy.
    private static string Serve(Model model, string text)
    {
        using (var context = new Context(model, new ContextOptions { Threads = 1, ContextLength = 512 }))
        using (var sampler = new Sampler(new SamplerOptions { Temperature = 0 }))
        using (Generation generation = context.Generate(sampler, model.Tokenizer.Encode(text),
                                                        new GenerationOptions { MaxTokens = 16 }))
            return generation.ReadToEnd();
    }
}
