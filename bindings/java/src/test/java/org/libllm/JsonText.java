package org.libllm;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.libllm.internal.Json;

/** Reads and writes JSON: Map, List, String, Long, Double, Boolean and null. For trusted files only. */
final class JsonText {
    private final String text;
    private int position;

    private JsonText(String text) {
        this.text = text;
    }

    static Object read(String text) {
        return new JsonText(text).value();
    }

    static String write(Object value) {
        StringBuilder out = new StringBuilder();
        write(value, out);
        return out.toString();
    }

    private static void write(Object value, StringBuilder out) {
        if (value instanceof String string) {
            out.append(Json.quote(string));
        } else if (value instanceof Map<?, ?> map) {
            String separator = "{";
            for (Map.Entry<?, ?> entry : map.entrySet()) {
                out.append(separator).append(Json.quote((String) entry.getKey())).append(": ");
                write(entry.getValue(), out);
                separator = ", ";
            }
            out.append(map.isEmpty() ? "{}" : "}");
        } else if (value instanceof List<?> list) {
            String separator = "[";
            for (Object element : list) {
                out.append(separator);
                write(element, out);
                separator = ", ";
            }
            out.append(list.isEmpty() ? "[]" : "]");
        } else {
            out.append(value);
        }
    }

    private char next() {
        while (Character.isWhitespace(text.charAt(position))) ++position;
        return text.charAt(position);
    }

    private boolean skip(char c) {
        boolean found = next() == c;
        if (found) ++position;
        return found;
    }

    private Object value() {
        char c = next();
        if (c == '{') return object();
        if (c == '[') return array();
        if (c == '"') return string();
        int end = position;
        while (end < text.length() && "+-.0123456789abcdefghijklmnopqrstuvwxyzE".indexOf(text.charAt(end)) >= 0) ++end;
        String word = text.substring(position, end);
        position = end;
        return switch (word) {
            case "true" -> true;
            case "false" -> false;
            case "null" -> null;
            default -> number(word);
        };
    }

    private static Object number(String word) {
        if (word.matches("-?[0-9]+")) return Long.valueOf(word);
        return Double.valueOf(word);
    }

    private Map<String, Object> object() {
        Map<String, Object> map = new LinkedHashMap<>();
        ++position;
        if (skip('}')) return map;
        do {
            next();
            String name = string();
            if (!skip(':')) throw new IllegalArgumentException("no colon at " + position);
            map.put(name, value());
        } while (skip(','));
        if (!skip('}')) throw new IllegalArgumentException("no brace at " + position);
        return map;
    }

    private List<Object> array() {
        List<Object> list = new ArrayList<>();
        ++position;
        if (skip(']')) return list;
        do list.add(value());
        while (skip(','));
        if (!skip(']')) throw new IllegalArgumentException("no bracket at " + position);
        return list;
    }

    private String string() {
        StringBuilder out = new StringBuilder();
        for (++position; text.charAt(position) != '"'; ++position) {
            char c = text.charAt(position);
            out.append(c == '\\' ? escaped() : c);
        }
        ++position;
        return out.toString();
    }

    private char escaped() {
        char c = text.charAt(++position);
        if (c == 'u') {
            position += 4;
            return (char) Integer.parseInt(text.substring(position - 3, position + 1), 16);
        }
        int control = "bfnrt".indexOf(c);
        return control < 0 ? c : "\b\f\n\r\t".charAt(control);
    }
}
