// Finds the texts that are nearest in meaning to a query, with an encoder: java -cp libllm.jar Search.java MODEL QUERY
// Each line of standard input is a text; they are printed with their similarity, the most similar first.
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import org.libllm.Context;
import org.libllm.LlmException;
import org.libllm.Model;
import org.libllm.Pooling;

class Search {
    private record Found(float similarity, String text) {}

    public static void main(String[] arguments) {
        if (arguments.length != 2) {
            System.err.println("usage: Search MODEL QUERY < TEXTS");
            System.exit(2);
        }
        try {
            search(Path.of(arguments[0]), arguments[1]);
        } catch (LlmException error) {
            System.err.println(arguments[0] + ": " + error.status() + ": " + error.getMessage());
            System.exit(1);
        }
    }

    private static void search(Path path, String query) {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
        try (Model model = Model.open(path); Context context = new Context(model)) {
            float[] wanted = embed(context, query);
            List<Found> texts =
                    in.lines().map(text -> new Found(product(wanted, embed(context, text)), text)).toList();
            texts.stream()
                    .sorted(Comparator.comparing(Found::similarity).reversed())
                    .map(found -> String.format(Locale.ROOT, "%6.3f  %s", found.similarity, found.text))
                    .forEach(out::println);
        }
    }

    /** A vector of length 1, so that the product of two is the cosine of their angle. */
    private static float[] embed(Context context, String text) {
        return context.embed(context.model().tokenizer().encode(text), Pooling.DEFAULT, true);
    }

    private static float product(float[] a, float[] b) {
        float sum = 0;
        for (int i = 0; i < a.length; ++i) sum += a[i] * b[i];
        return sum;
    }
}
