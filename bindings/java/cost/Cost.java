// The time of generated tokens through the public classes: Cost MODEL TOKENS. See bindings/cost/README.md.
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Locale;
import org.libllm.Chunk;
import org.libllm.Context;
import org.libllm.Generation;
import org.libllm.GenerationOptions;
import org.libllm.Model;
import org.libllm.Sampler;
import org.libllm.SamplerOptions;

class Cost {
    public static void main(String[] arguments) {
        GenerationOptions options =
                GenerationOptions.builder().maxTokens(Integer.parseInt(arguments[1]) + 1).build();
        try (Model model = Model.open(Path.of(arguments[0]));
                Context context = new Context(model);
                Sampler sampler = new Sampler(SamplerOptions.greedy());
                Generation generation =
                        context.generate(sampler, model.tokenizer().encode("Once upon a time"), options)) {
            generation.next();  // which brings the prompt's evaluation with it
            long start = System.nanoTime();
            long tokens = 0;
            long checksum = 0;
            for (Chunk chunk : generation) {
                ++tokens;
                checksum += chunk.token() + chunk.text().getBytes(StandardCharsets.UTF_8).length;
            }
            double seconds = 1e-9 * (System.nanoTime() - start);
            System.out.println(String.format(
                    Locale.ROOT, "{\"tokens\": %d, \"seconds\": %.6f, \"checksum\": %d}", tokens, seconds, checksum));
        }
    }
}
