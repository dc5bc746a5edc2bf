package org.libllm;

import java.util.List;

/**
 * One row of the table of options.
 *
 * @param name the name for {@link Options.Builder#set(String, String)}
 * @param help what it is for, in one line
 * @param integer whether the value is a whole number
 * @param choices the words that are possible; empty when the value is a number
 * @param defaultValue the default; of choices, the index of the word
 * @param minimum the least value
 * @param maximum the greatest value
 */
public record OptionInfo(String name, String help, boolean integer, List<String> choices, double defaultValue,
        double minimum, double maximum) {}
