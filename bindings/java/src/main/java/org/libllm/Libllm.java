package org.libllm;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.regex.Pattern;
import org.libllm.internal.Buffers;
import org.libllm.internal.Raw;
import org.libllm.internal.Structs;

/** The library as a whole. Its functions may be called from any thread. */
public final class Libllm {
    private Libllm() {}

    /** {@return the version of the native library, such as "0.1.0"} */
    public static String version() {
        return Buffers.text(Raw.llm_version_string());
    }

    /**
     * {@return facts about library and machine as a JSON object} version, abi_version, tier, tiers, features, threads,
     * unicode_version, chat_templates.
     */
    public static String systemInfo() {
        return Buffers.string(1024, Raw::llm_system_info);
    }

    /**
     * Chooses the instruction set of the kernels. All give the same results.
     *
     * @param tier "scalar", "avx2", "avx512", or "auto" for the best that the machine has; only before the first model
     *     is opened
     */
    public static void selectCpu(String tier) {
        Raw.llm_cpu_select(Buffers.name(tier));
    }

    /**
     * Lists the options of a group that can be set by name.
     *
     * @param group the group
     * @return one entry for each option
     */
    public static List<OptionInfo> options(OptionGroup group) {
        List<OptionInfo> options = new ArrayList<>();
        long count = Raw.llm_option_count(group.ordinal());
        for (long i = 0; i < count; ++i) options.add(option(group, i));
        return Collections.unmodifiableList(options);
    }

    private static OptionInfo option(OptionGroup group, long index) {
        return Structs.with(Raw.new_llm_option(), Raw::delete_llm_option, option -> {
            Raw.llm_option_describe(option, group.ordinal(), index);
            String choices = Buffers.text(Raw.llm_option_choices_get(option));
            return new OptionInfo(Buffers.text(Raw.llm_option_name_get(option)),
                    Buffers.text(Raw.llm_option_help_get(option)), Raw.llm_option_type_get(option) == 0,
                    choices == null ? List.of() : List.of(choices.split(Pattern.quote("|"))),
                    Raw.llm_option_default_value_get(option), Raw.llm_option_minimum_get(option),
                    Raw.llm_option_maximum_get(option));
        });
    }
}
