package org.libllm.internal;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;

/** Metadata values as Java objects. */
public final class Metadata {
    private Metadata() {}

    /** The value of a key. */
    public static Object read(long model, byte[] key) {
        return Structs.with(Raw.new_llm_value(), Raw::delete_llm_value, value -> {
            Raw.llm_metadata_get(value, model, key);
            return object(model, key, value, new long[0]);
        });
    }

    /** What is in `value`: of a key or, with indexes, inside its array. The library limits how deep arrays nest. */
    private static Object object(long model, byte[] key, long value, long[] indexes) {
        int type = Raw.llm_value_type_get(value);
        if (type == RawConstants.LLM_VALUE_ARRAY) return list(model, key, value, indexes);
        if (type == RawConstants.LLM_VALUE_STRING) return Buffers.string(64, out -> Raw.raw_value_text(out, value));
        if (type == RawConstants.LLM_VALUE_BOOL) return Raw.llm_value_u_get(value) != 0;
        if (type == RawConstants.LLM_VALUE_F32 || type == RawConstants.LLM_VALUE_F64) return Raw.llm_value_f_get(value);
        if (type == RawConstants.LLM_VALUE_I8 || type == RawConstants.LLM_VALUE_I16
                || type == RawConstants.LLM_VALUE_I32 || type == RawConstants.LLM_VALUE_I64)
            return Raw.llm_value_i_get(value);
        long number = Raw.llm_value_u_get(value);
        return number >= 0 ? (Object) number : new BigInteger(Long.toUnsignedString(number));
    }

    private static List<Object> list(long model, byte[] key, long value, long[] indexes) {
        long count = Raw.llm_value_count_get(value);
        List<Object> list = new ArrayList<>();
        long[] inside = Arrays.copyOf(indexes, indexes.length + 1);
        for (long i = 0; i < count; ++i) {
            inside[indexes.length] = i;
            Raw.llm_metadata_element(value, model, key, inside);
            list.add(object(model, key, value, inside));
        }
        return Collections.unmodifiableList(list);
    }
}
