package org.libllm;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.LongConsumer;
import java.util.function.LongFunction;
import org.libllm.internal.Buffers;
import org.libllm.internal.Raw;

/**
 * Options of one group. They are immutable; a builder makes them. What is not set has the library's default, which
 * {@link Libllm#options(OptionGroup)} tells, as it does the range of every option.
 */
public abstract sealed class Options
        permits ModelOptions, ContextOptions, SamplerOptions, GenerationOptions, ChatOptions {
    private final OptionGroup group;
    private final List<LongConsumer> settings;
    private final Map<String, String> values;

    /** Throws what a setting throws. */
    Options(Builder<?> builder) {
        group = builder.group;
        settings = List.copyOf(builder.settings);
        values = new LinkedHashMap<>(builder.values);
        apply(options -> null);
    }

    /** Calls a function with native options that have these settings. */
    <T> T apply(LongFunction<T> function) {
        long options = Raw.raw_options_new(group.ordinal());
        try {
            for (LongConsumer setting : settings) setting.accept(options);
            return function.apply(options);
        } finally {
            Raw.raw_options_free(options);
        }
    }

    /** The value that an option of that name was set to, or null. */
    String value(String name) {
        return values.get(name);
    }

    /** {@return the options that were set by name or as a number, for people} */
    @Override
    public String toString() {
        return getClass().getSimpleName() + values;
    }

    /**
     * Collects options. Settings are checked when the options are built.
     *
     * @param <B> the builder's own type
     */
    public abstract static sealed class Builder<B extends Builder<B>>
            permits ModelOptions.Builder, ContextOptions.Builder, SamplerOptions.Builder, GenerationOptions.Builder,
                    ChatOptions.Builder {
        private final OptionGroup group;
        private final List<LongConsumer> settings = new ArrayList<>();
        private final Map<String, String> values = new LinkedHashMap<>();

        Builder(OptionGroup group) {
            this.group = group;
        }

        abstract B self();

        /** Adds what is to be done with native options. */
        final B add(LongConsumer setting) {
            settings.add(setting);
            return self();
        }

        /** Sets or adds a text: raw_options_text(). */
        final B text(String name, byte[] value) {
            byte[] rawName = Buffers.name(name);
            return add(options -> Raw.raw_options_text(options, rawName, value));
        }

        final B set(String name, long value) {
            return set(name, Long.toString(value));
        }

        final B set(String name, double value) {
            return set(name, Double.toString(value));
        }

        final B set(String name, boolean value) {
            return set(name, value ? "1" : "0");
        }

        /**
         * Sets an option by its name, as {@link Libllm#options(OptionGroup)} lists them.
         *
         * @param name the option's name
         * @param value a number, or one of the option's words
         * @return this
         */
        public final B set(String name, String value) {
            byte[] rawName = Buffers.name(Objects.requireNonNull(name, "name"));
            byte[] rawValue = Buffers.name(Objects.requireNonNull(value, "value"));
            values.put(name, value);
            return add(options -> Raw.raw_options_set(options, rawName, rawValue));
        }
    }
}
