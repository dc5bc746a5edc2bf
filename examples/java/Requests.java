// Continues many texts at once with one model that all threads share: java -cp libllm.jar Requests.java MODEL TEXT...
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.libllm.Context;
import org.libllm.ContextOptions;
import org.libllm.GenerationOptions;
import org.libllm.LlmException;
import org.libllm.Model;
import org.libllm.Sampler;
import org.libllm.SamplerOptions;

class Requests {
    public static void main(String[] arguments) throws InterruptedException, ExecutionException {
        if (arguments.length < 2) {
            System.err.println("usage: Requests MODEL TEXT...");
            System.exit(2);
        }
        try (Model model = Model.open(Path.of(arguments[0]))) {
            serve(model, List.of(arguments).subList(1, arguments.length));
        } catch (LlmException error) {
            System.err.println(arguments[0] + ": " + error.status() + ": " + error.getMessage());
            System.exit(1);
        }
    }

    private static void serve(Model model, List<String> texts) throws InterruptedException, ExecutionException {
        PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
        ExecutorService pool = Executors.newFixedThreadPool(Runtime.getRuntime().availableProcessors());
        try {
            List<Future<String>> answers = new ArrayList<>();
            for (String text : texts) answers.add(pool.submit(() -> answer(model, text)));
            for (int i = 0; i < texts.size(); ++i) out.println(texts.get(i) + "|" + answers.get(i).get());
        } finally {
            pool.shutdown();
        }
    }

    /** A thread's work: everything but the model is its own. */
    private static String answer(Model model, String text) {
        ContextOptions options = ContextOptions.builder()
                .threads(1)  // the requests themselves keep the processors busy
                .contextLength(512)
                .build();
        GenerationOptions limits = GenerationOptions.builder().maxTokens(16).build();
        try (Context context = new Context(model, options); Sampler sampler = new Sampler(SamplerOptions.greedy())) {
            return context.generate(sampler, model.tokenizer().encode(text), limits).text();
        }
    }
}
