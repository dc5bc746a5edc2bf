package org.libllm.internal;

import java.util.function.LongConsumer;
import java.util.function.LongFunction;

/** Native structs that receive results. */
public final class Structs {
    private Structs() {}

    /** A new struct; 0 stands for no memory. */
    public static long made(long struct) {
        if (struct == 0) throw new OutOfMemoryError("no native memory for a struct");
        return struct;
    }

    /** Uses a new struct and frees it. */
    public static <T> T with(long struct, LongConsumer free, LongFunction<T> use) {
        try {
            return use.apply(made(struct));
        } finally {
            free.accept(struct);
        }
    }
}
