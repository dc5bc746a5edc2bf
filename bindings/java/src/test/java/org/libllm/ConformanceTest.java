package org.libllm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Runs the cases that all languages run: bindings/conformance/README.md says how. */
class ConformanceTest {
    private final List<String> faults = new ArrayList<>();
    private final Map<String, Object> results = new LinkedHashMap<>();

    @Test
    void allCases() throws Exception {
        Path file = Path.of(TestModels.environment("LLM_CONFORMANCE_CASES"));
        Map<?, ?> all = (Map<?, ?>) JsonText.read(Files.readString(file));
        assertEquals(1L, all.get("format"));
        boolean chat = Libllm.systemInfo().contains("\"chat_templates\": true")
                || Libllm.systemInfo().contains("\"chat_templates\":true");
        try (ConformanceKinds kinds = new ConformanceKinds()) {
            for (Object element : (List<?>) all.get("cases")) {
                @SuppressWarnings("unchecked")
                Map<String, Object> test = (Map<String, Object>) element;
                if (chat || !((String) test.get("kind")).startsWith("chat_")) run(kinds, test);
            }
        }
        String output = System.getenv("LLM_CONFORMANCE_RESULTS");
        if (output != null) {
            Files.createDirectories(Path.of(output).getParent());
            Files.writeString(Path.of(output), JsonText.write(Map.of("language", "java", "results", results)) + "\n");
        }
        assertTrue(results.size() > 100, "only " + results.size() + " cases were run");
        assertEquals(List.of(), faults);
    }

    private void run(ConformanceKinds kinds, Map<String, Object> test) throws Exception {
        String name = (String) test.get("name");
        Map<String, Object> result = kinds.run(test);
        results.put(name, result);
        Object expected = test.get("expect");
        double tolerance = test.get("tolerance") instanceof Number number ? number.doubleValue() : 1e-4;
        if (expected != null && !agrees(expected, result, tolerance))
            faults.add(name + "\n  expected " + JsonText.write(expected) + "\n  found    " + JsonText.write(result));
    }

    private static boolean agrees(Object expected, Object found, double tolerance) {
        if (expected instanceof Map<?, ?> map)
            return found instanceof Map<?, ?> other && map.keySet().stream().allMatch(name -> other.containsKey(name)
                    && agrees(map.get(name), other.get(name), tolerance));
        if (expected instanceof List<?> list) {
            if (!(found instanceof List<?> other) || other.size() != list.size()) return false;
            for (int i = 0; i < list.size(); ++i)
                if (!agrees(list.get(i), other.get(i), tolerance)) return false;
            return true;
        }
        if (expected instanceof Double number && found instanceof Number other)
            return Math.abs(number - other.doubleValue()) <= tolerance;
        return expected == null ? found == null : expected.equals(found);
    }
}
