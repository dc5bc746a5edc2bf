// Chats with a model, one message a line, and shows answers as they are made: Chat MODEL [SEED]
// Ctrl+C stops an answer; without one, it ends the program.
using System;
using System.Collections.Generic;
using System.Text;
using System.Threading;
using System.Threading.Tasks;
using LibLlm;

internal static class Chat
{
    private static CancellationTokenSource answering;

    private static int Main(string[] arguments)
    {
        if (arguments.Length < 1 || arguments.Length > 2)
        {
            Console.Error.WriteLine("usage: Chat MODEL [SEED]");
            return 2;
        }
        Console.OutputEncoding = new UTF8Encoding(false);
        Console.CancelKeyPress += (sender, pressed) =>
        {
            pressed.Cancel = answering != null;
            answering?.Cancel();
        };
        try
        {
            Run(arguments).GetAwaiter().GetResult();
            return 0;
        }
        catch (LlmException error)
        {
            Console.Error.WriteLine("{0}: {1}", arguments[0], error.Message);
            return 1;
        }
    }

    private static async Task Run(string[] arguments)
    {
        using (Model model = await Model.OpenAsync(arguments[0]))
        using (var context = new Context(model))
        using (var sampler = new Sampler(SamplingOf(model, arguments)))
        {
            var conversation = new List<ChatMessage>();
            for (string line = Console.ReadLine(); line != null; line = Console.ReadLine())
            {
                conversation.Add(new ChatMessage("user", line));
                int[] prompt = model.ChatTemplate.Tokenize(conversation);
                conversation.Add(new ChatMessage("assistant", await Answer(context, sampler, prompt)));
            }
        }
    }

    // What the model's file recommends, with a seed if one is given.
    private static SamplerOptions SamplingOf(Model model, string[] arguments)
    {
        var options = new SamplerOptions(model);
        if (arguments.Length > 1) options.Set("seed", arguments[1]);
        return options;
    }

    // Shows the answer as it comes. With a compiler for C# 8 or newer it is `await foreach (Chunk chunk in chunks)`.
    private static async Task<string> Answer(Context context, Sampler sampler, int[] prompt)
    {
        var text = new StringBuilder();
        var options = new GenerationOptions { MaxTokens = 256, ReusePrefix = true }; // what is evaluated stays
        answering = new CancellationTokenSource();
        IAsyncEnumerable<Chunk> chunks = context.Generate(sampler, prompt, options).ReadAllAsync(answering.Token);
        IAsyncEnumerator<Chunk> steps = chunks.GetAsyncEnumerator();
        try
        {
            while (await steps.MoveNextAsync())
            {
                Console.Write(steps.Current.Text);
                text.Append(steps.Current.Text);
            }
        }
        catch (OperationCanceledException)
        {
            Console.Write(" [stopped]");
        }
        finally
        {
            answering = null;
            await steps.DisposeAsync();
        }
        Console.WriteLine();
        return text.ToString();
    }
}
