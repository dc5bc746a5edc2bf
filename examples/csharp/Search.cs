// Finds the texts that are nearest in meaning to a query, with an encoder: Search MODEL QUERY < TEXTS
// Each line of standard input is a text; they are printed with their similarity, the most similar first.
using System;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;
using System.Text;
using LibLlm;

internal static class Search
{
    private static int Main(string[] arguments)
    {
        if (arguments.Length != 2)
        {
            Console.Error.WriteLine("usage: Search MODEL QUERY < TEXTS");
            return 2;
        }
        Console.OutputEncoding = new UTF8Encoding(false);
        try
        {
            Run(arguments[0], arguments[1]);
            return 0;
        }
        catch (LlmException error)
        {
            Console.Error.WriteLine("{0}: {1}", arguments[0], error.Message);
            return 1;
        }
    }

    private static void Run(string path, string query)
    {
        using (var model = new Model(path))
        using (var context = new Context(model))
        {
            // Of length 1, so that the product of two is the cosine of their angle.
            Func<string, float[]> embed = text => context.Embed(model.Tokenizer.Encode(text));
            float[] wanted = embed(query);
            var similarities = Lines().Select(text => new
            {
                Text = text, Value = embed(text).Zip(wanted, (a, b) => a * b).Sum()
            });
            foreach (var found in similarities.OrderByDescending(found => found.Value))
            {
                string value = found.Value.ToString("F3", CultureInfo.InvariantCulture);
                Console.WriteLine("{0,6}  {1}", value, found.Text);
            }
        }
    }

    private static IEnumerable<string> Lines()
    {
        for (string line = Console.ReadLine(); line != null; line = Console.ReadLine()) yield return line;
    }
}
