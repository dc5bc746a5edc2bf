package org.libllm;

import java.math.BigInteger;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** What each kind of a conformance case does. */
final class ConformanceKinds implements AutoCloseable {
    private final Map<String, Model> models = new HashMap<>();

    @Override
    public void close() {
        models.values().forEach(Model::close);
    }

    /** The result of a case. */
    Map<String, Object> run(Map<String, Object> test) throws Exception {
        try {
            return switch ((String) test.get("kind")) {
                case "tokenize" -> Map.of("tokens", list(tokenizer(test).encode(
                        bytes(test), flag(test, "add_special"), flag(test, "parse_special"))));
                case "detokenize" -> Map.of("bytes", HexFormat.of().formatHex(
                        tokenizer(test).decodeBytes(tokens(test.get("tokens")), flag(test, "special"))));
                case "piece" -> Map.of("bytes", HexFormat.of().formatHex(
                        tokenizer(test).pieceBytes(number(test, "token"), flag(test, "special"))));
                case "special_tokens" -> specialTokens(test);
                case "info" -> info(test);
                case "metadata" -> metadata(test);
                case "chat_render" -> Map.of("text", template(test).render((String) test.get("request")));
                case "chat_tokenize" -> Map.of("tokens", list(template(test).tokenize((String) test.get("request"))));
                case "chat_template" -> Map.of("text", model(test).chatTemplateSource(
                        test.get("template") == null ? "default" : (String) test.get("template")));
                case "generate", "cancel" -> generate(test);
                case "fork" -> fork(test);
                case "rewind" -> rewind(test);
                case "reuse" -> reuse(test);
                case "state" -> state(test);
                case "logits" -> logits(test);
                case "eval" -> eval(test);
                case "batch" -> batch(test);
                case "sample" -> sample(test);
                case "embed" -> embed(test);
                case "option" -> option(test);
                case "open" -> open(test);
                default -> throw new IllegalArgumentException("unknown kind " + test.get("kind"));
            };
        } catch (LlmException error) {
            return Map.of("error", "LLM_ERROR_" + error.status());
        }
    }

    // ---- Members of a case

    private Model model(Map<String, Object> test) {
        return models.computeIfAbsent((String) test.get("model"), name -> Model.open(TestModels.path(name + ".gguf")));
    }

    private Tokenizer tokenizer(Map<String, Object> test) {
        return model(test).tokenizer();
    }

    private static boolean flag(Map<String, Object> test, String name) {
        return Boolean.TRUE.equals(test.get(name));
    }

    private static int number(Map<String, Object> test, String name) {
        return ((Long) test.get(name)).intValue();
    }

    private static int[] tokens(Object list) {
        return ((List<?>) list).stream().mapToInt(token -> ((Long) token).intValue()).toArray();
    }

    private static List<Object> list(int[] tokens) {
        List<Object> list = new ArrayList<>();
        for (int token : tokens) list.add((long) token);
        return list;
    }

    private static byte[] bytes(Map<String, Object> test) {
        if (test.get("bytes") instanceof String hex) return HexFormat.of().parseHex(hex);
        return org.libllm.internal.Buffers.utf8((String) test.get("text"));
    }

    private int[] encoded(Map<String, Object> test, String member, boolean addSpecial) {
        return tokenizer(test).encode((String) test.get(member), addSpecial, false);
    }

    /** The options that a member names, on top of what the builder has. */
    private static <B extends Options.Builder<B>> B set(B builder, Object options) {
        if (options instanceof Map<?, ?> map) map.forEach((name, value) -> builder.set((String) name, (String) value));
        return builder;
    }

    private Context context(Map<String, Object> test, String member, int sequences) {
        ContextOptions.Builder builder = ContextOptions.builder().cacheType(ContextOptions.CacheType.F32);
        return new Context(model(test), set(builder.maxSequences(sequences), test.get(member)).build());
    }

    private static Sampler sampler(Map<String, Object> test) {
        return new Sampler(set(SamplerOptions.builder().temperature(0), test.get("sampler")).build());
    }

    // ---- Facts

    private Map<String, Object> specialTokens(Map<String, Object> test) {
        Map<String, Object> out = new LinkedHashMap<>();
        for (SpecialToken which : SpecialToken.values())
            out.put(which.name().toLowerCase(Locale.ROOT), (long) tokenizer(test).special(which).orElse(-1));
        return out;
    }

    private Map<String, Object> info(Map<String, Object> test) {
        ModelInfo info = model(test).info();
        return Map.of("architecture", info.architecture(), "name", info.name(),
                "vocabulary_size", (long) info.vocabularySize(), "context_length", (long) info.contextLength(),
                "embedding_length", (long) info.embeddingLength(), "layer_count", (long) info.layerCount(),
                "parameter_count", info.parameterCount(), "generates", info.generates(), "embeds", info.embeds());
    }

    private Map<String, Object> metadata(Map<String, Object> test) {
        Map<String, Object> out = new HashMap<>();
        out.put("value", model(test).metadata((String) test.get("key")).map(ConformanceKinds::plain).orElse(null));
        return out;
    }

    private static Object plain(Object value) {
        if (value instanceof List<?> list) return list.stream().map(ConformanceKinds::plain).toList();
        if (value instanceof Boolean bool) return bool ? 1L : 0L;
        boolean large = value instanceof BigInteger || value instanceof Long number && Math.abs(number) > 1L << 53;
        return large ? value.toString() : value;
    }

    private static Map<String, Object> option(Map<String, Object> test) {
        String name = (String) test.get("option");
        String value = (String) test.get("value");
        switch ((String) test.get("group")) {
            case "model" -> ModelOptions.builder().set(name, value).build();
            case "context" -> ContextOptions.builder().set(name, value).build();
            case "sampler" -> SamplerOptions.builder().set(name, value).build();
            case "generation" -> GenerationOptions.builder().set(name, value).build();
            default -> ChatOptions.builder().set(name, value).build();
        }
        return Map.of("set", true);
    }

    private Map<String, Object> open(Map<String, Object> test) throws Exception {
        ModelOptions options = set(ModelOptions.builder(), test.get("options")).build();
        Path file = test.get("file") instanceof String name ? TestModels.path(name) : null;
        boolean fromFile = file != null && !flag(test, "memory");
        try (Model model = fromFile ? Model.open(file, options)
                : Model.open(file == null ? bytes(test) : Files.readAllBytes(file), options)) {
            ContextOptions.Builder builder = ContextOptions.builder();
            if (flag(test, "with_context")) new Context(model, set(builder, test.get("context")).build()).close();
            return Map.of("name", model.info().name());
        }
    }

    private ChatTemplate template(Map<String, Object> test) {
        ChatOptions.Builder builder = ChatOptions.builder();
        if (test.get("now") instanceof Long now) builder.now(Instant.ofEpochSecond(now), ZoneOffset.UTC);
        if (test.get("template") instanceof String name) builder.templateName(name);
        return model(test).chatTemplate(set(builder, test.get("chat")).build());
    }

    // ---- Generation

    private Map<String, Object> generate(Map<String, Object> test) {
        GenerationOptions.Builder builder = set(GenerationOptions.builder(), test.get("generation"));
        if (test.get("stops") instanceof List<?> stops) stops.forEach(stop -> builder.stop((String) stop));
        int[] prompt = test.get("tokens") != null ? tokens(test.get("tokens")) : encoded(test, "prompt", true);
        try (Context context = context(test, "context", 1); Sampler sampler = sampler(test);
                Generation generation = context.generate(sampler, prompt, builder.build())) {
            List<Chunk> chunks = new ArrayList<>();
            Map<String, Object> out = new LinkedHashMap<>();
            if (test.get("after") instanceof Long after) {
                for (long i = 0; i < after; ++i) chunks.add(generation.next());
                out.put("cancelled", cancels(generation));
            }
            generation.forEachRemaining(chunks::add);
            collect(chunks, out);
            boolean logprobs = test.get("generation") instanceof Map<?, ?> options && options.containsKey("logprobs");
            if (logprobs) collectLogprobs(chunks, out);
            return out;
        }
    }

    private static boolean cancels(Generation generation) {
        generation.cancel();
        try {
            generation.next();
            return false;
        } catch (CancelledException cancelled) {
            return true;
        }
    }

    private static void collect(List<Chunk> chunks, Map<String, Object> out) {
        out.put("tokens", chunks.stream().map(chunk -> (long) chunk.token()).toList());
        out.put("chunks", chunks.stream().map(Chunk::text).toList());
        out.put("text", String.join("", chunks.stream().map(Chunk::text).toList()));
        out.put("finish", chunks.get(chunks.size() - 1).finishReason().name().toLowerCase(Locale.ROOT));
    }

    private static void collectLogprobs(List<Chunk> chunks, Map<String, Object> out) {
        out.put("logprobs", chunks.stream().map(chunk -> (double) chunk.logprob()).toList());
        out.put("top", chunks.stream().map(chunk -> chunk.top().stream()
                .map(top -> List.of((long) top.token(), (double) top.logprob())).toList()).toList());
    }

    /** Ids that follow a prompt, by greedy choice. */
    private static List<Object> follow(Map<String, Object> test, Context context, int[] prompt, int sequence) {
        GenerationOptions options =
                GenerationOptions.builder().maxTokens(number(test, "count")).sequence(sequence).build();
        try (Sampler sampler = new Sampler(SamplerOptions.greedy());
                Generation generation = context.generate(sampler, prompt, options)) {
            return generation.stream().<Object>map(chunk -> (long) chunk.token()).toList();
        }
    }

    // ---- Sequences

    private Map<String, Object> fork(Map<String, Object> test) {
        try (Context context = context(test, "context", 2)) {
            context.eval(0, encoded(test, "prompt", true));
            context.fork(0, 1);
            return Map.of("first", follow(test, context, encoded(test, "first", false), 0),
                    "second", follow(test, context, encoded(test, "second", false), 1));
        }
    }

    private Map<String, Object> rewind(Map<String, Object> test) {
        try (Context context = context(test, "context", 1)) {
            context.eval(0, encoded(test, "prompt", true));
            context.truncate(0, number(test, "length"));
            return Map.of("tokens", follow(test, context, encoded(test, "text", false), 0));
        }
    }

    private Map<String, Object> reuse(Map<String, Object> test) {
        try (Context context = context(test, "context", 1)) {
            context.eval(0, encoded(test, "prompt", true));
            int[] next = encoded(test, "next", true);
            int kept = context.reusePrefix(0, next);
            return Map.of("kept", (long) kept,
                    "tokens", follow(test, context, Arrays.copyOfRange(next, kept, next.length), 0));
        }
    }

    private Map<String, Object> state(Map<String, Object> test) throws Exception {
        try (Context context = context(test, "context", 1); Context other = context(test, "into", 1)) {
            context.eval(0, encoded(test, "prompt", true));
            if (flag(test, "file")) {
                Path file = Files.createTempFile("libllm", ".state");
                context.saveState(0, file);
                other.restoreState(0, file);
                Files.delete(file);
            } else {
                byte[] state = context.saveState(0);
                if ("truncate".equals(test.get("damage"))) state = Arrays.copyOf(state, state.length - 1);
                if ("flip".equals(test.get("damage"))) state[state.length / 2] ^= 1;
                other.restoreState(0, state);
            }
            long length = other.length(0);
            return Map.of("length", length, "tokens", follow(test, other, encoded(test, "text", false), 0));
        }
    }

    private Map<String, Object> logits(Map<String, Object> test) {
        int[] tokens = tokens(test.get("tokens"));
        int[] columns = tokens(test.get("columns"));
        try (Context context = context(test, "context", 1)) {
            context.eval(0, tokens, Logits.ALL);
            List<Object> rows = new ArrayList<>();
            for (int row = 0; row < tokens.length; ++row) {
                float[] logits = context.logits(row);
                rows.add(Arrays.stream(columns).mapToObj(column -> (double) logits[column]).toList());
            }
            return Map.of("rows", rows);
        }
    }

    private Map<String, Object> eval(Map<String, Object> test) {
        try (Context context = context(test, "context", 1)) {
            for (Object call : (List<?>) test.get("calls")) context.eval(0, tokens(call));
            ContextCounters counters = context.counters();
            return Map.of("length", (long) context.length(0), "prompt_tokens", counters.promptTokens(),
                    "single_tokens", counters.singleTokens());
        }
    }

    private Map<String, Object> batch(Map<String, Object> test) {
        try (Context context = context(test, "context", 1); Batch batch = new Batch()) {
            List<Object> firstRows = new ArrayList<>();
            int rows = 0;
            for (Object element : (List<?>) test.get("entries")) {
                Map<?, ?> entry = (Map<?, ?>) element;
                int[] tokens = tokens(entry.get("tokens"));
                Logits logits = Logits.valueOf(((String) entry.get("logits")).toUpperCase(Locale.ROOT));
                firstRows.add((long) batch.add(((Long) entry.get("sequence")).intValue(), tokens, logits));
                rows += logits == Logits.ALL ? tokens.length : logits == Logits.LAST ? 1 : 0;
            }
            context.eval(batch);
            List<Object> best = new ArrayList<>();
            for (int row = 0; row < rows; ++row) best.add((long) context.logprobs(row, 1).get(0).token());
            List<Object> lengths = new ArrayList<>();
            for (int sequence = 0; sequence < 3; ++sequence) lengths.add((long) context.length(sequence));
            return Map.of("first_rows", firstRows, "best", best, "lengths", lengths);
        }
    }

    private Map<String, Object> sample(Map<String, Object> test) {
        int count = number(test, "count");
        try (Context context = context(test, "context", 1); Sampler sampler = sampler(test)) {
            context.eval(0, tokens(test.get("tokens")));
            List<Object> tokens = samples(sampler, context, count / 2);
            try (Sampler clone = sampler.copy()) {
                tokens.addAll(samples(sampler, context, count - count / 2));
                List<Object> cloned = samples(clone, context, count - count / 2);
                sampler.reset();
                return Map.of("tokens", tokens, "clone", cloned, "again", samples(sampler, context, count));
            }
        }
    }

    private static List<Object> samples(Sampler sampler, Context context, int count) {
        List<Object> tokens = new ArrayList<>();
        for (int i = 0; i < count; ++i) tokens.add((long) sampler.sample(context));
        return tokens;
    }

    private Map<String, Object> embed(Map<String, Object> test) {
        int[] tokens = test.get("tokens") != null ? tokens(test.get("tokens")) : encoded(test, "text", true);
        Pooling pooling = Pooling.valueOf(((String) test.get("pooling")).toUpperCase(Locale.ROOT));
        try (Context context = context(test, "context", 1)) {
            List<Object> numbers = new ArrayList<>();
            for (float number : context.embed(tokens, pooling, flag(test, "normalize"))) numbers.add((double) number);
            return Map.of("embedding", numbers);
        }
    }
}
