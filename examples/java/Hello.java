// Continues a text: java -cp libllm.jar Hello.java MODEL TEXT
import java.nio.file.Path;
import org.libllm.*;

class Hello {
    public static void main(String[] arguments) {
        try (Model model = Model.open(Path.of(arguments[0]));
                Context context = new Context(model);
                Sampler sampler = new Sampler(SamplerOptions.greedy())) {
            for (Chunk chunk : context.generate(sampler, arguments[1])) System.out.print(chunk.text());
        }
    }
}
