// Chats with a model, one message a line, and shows answers as they are made:
// java -cp libllm.jar Chat.java MODEL [SEED]
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.libllm.ChatMessage;
import org.libllm.Chunk;
import org.libllm.Context;
import org.libllm.GenerationOptions;
import org.libllm.LlmException;
import org.libllm.Model;
import org.libllm.Sampler;
import org.libllm.SamplerOptions;

class Chat {
    private static final PrintStream OUT = new PrintStream(System.out, true, StandardCharsets.UTF_8);

    public static void main(String[] arguments) throws IOException {
        if (arguments.length < 1 || arguments.length > 2) {
            System.err.println("usage: Chat MODEL [SEED]");
            System.exit(2);
        }
        try {
            chat(Path.of(arguments[0]), arguments.length > 1 ? arguments[1] : null);
        } catch (LlmException error) {
            System.err.println(arguments[0] + ": " + error.status() + ": " + error.getMessage());
            System.exit(1);
        }
    }

    private static void chat(Path path, String seed) throws IOException {
        try (Model model = Model.open(path);
                Context context = new Context(model);
                Sampler sampler = sampler(model, seed)) {
            BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
            List<ChatMessage> conversation = new ArrayList<>();
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                conversation.add(ChatMessage.user(line));
                conversation.add(ChatMessage.assistant(answer(context, sampler, conversation)));
            }
        }
    }

    private static Sampler sampler(Model model, String seed) {
        SamplerOptions.Builder options = SamplerOptions.builder().fromModel(model);
        if (seed != null) options.set("seed", seed);
        return new Sampler(options.build());
    }

    private static String answer(Context context, Sampler sampler, List<ChatMessage> conversation) {
        GenerationOptions options = GenerationOptions.builder()
                .maxTokens(256)
                .reusePrefix(true)  // the conversation so far is in the sequence already
                .build();
        int[] prompt = context.model().chatTemplate().tokenize(conversation);
        StringBuilder answer = new StringBuilder();
        for (Chunk chunk : context.generate(sampler, prompt, options)) {
            OUT.print(chunk.text());
            OUT.flush();
            answer.append(chunk.text());
        }
        OUT.println();
        return answer.toString();
    }
}
