package org.libllm.internal;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.function.ToLongFunction;
import org.libllm.LlmException;
import org.libllm.Status;

/** Text and arrays on their way in and out of native calls. */
public final class Buffers {
    private static final byte[] REPLACEMENT = {(byte) 0xEF, (byte) 0xBF, (byte) 0xBD};  // U+FFFD
    private static final int LONGEST = Integer.MAX_VALUE - 8;  // array that every virtual machine can make

    private Buffers() {}

    /** UTF-8 of a text; half a surrogate pair becomes U+FFFD. */
    public static byte[] utf8(String text) {
        try {
            ByteBuffer bytes = StandardCharsets.UTF_8.newEncoder()
                    .onMalformedInput(CodingErrorAction.REPLACE)
                    .replaceWith(REPLACEMENT)
                    .encode(CharBuffer.wrap(text));
            return Arrays.copyOf(bytes.array(), bytes.limit());
        } catch (CharacterCodingException impossible) {  // everything is replaced
            throw new AssertionError(impossible);
        }
    }

    /** A name for C, with a zero behind it. */
    public static byte[] name(String name) {
        if (name.indexOf('\0') >= 0) throw new IllegalArgumentException("a name or path holds NUL");
        byte[] bytes = utf8(name);
        return Arrays.copyOf(bytes, bytes.length + 1);
    }

    /** The text of UTF-8, ill-formed parts being U+FFFD. */
    public static String text(byte[] utf8) {
        return utf8 == null ? null : new String(utf8, StandardCharsets.UTF_8);
    }

    /** What a call writes that returns the number of bytes; called again when they are more than the first guess. */
    public static byte[] bytes(int guess, ToLongFunction<byte[]> call) {
        byte[] buffer = new byte[guess];
        for (;;) {
            long needed = call.applyAsLong(buffer);
            if (needed == buffer.length) return buffer;
            if (needed < buffer.length) return Arrays.copyOf(buffer, (int) needed);
            buffer = new byte[length(needed)];
        }
    }

    /** The same for UTF-8. */
    public static String string(int guess, ToLongFunction<byte[]> call) {
        return text(bytes(guess, call));
    }

    /** The same for tokens. */
    public static int[] tokens(int guess, ToLongFunction<int[]> call) {
        int[] buffer = new int[guess];
        for (;;) {
            long needed = call.applyAsLong(buffer);
            if (needed == buffer.length) return buffer;
            if (needed < buffer.length) return Arrays.copyOf(buffer, (int) needed);
            buffer = new int[length(needed)];
        }
    }

    /** The same for numbers. */
    public static float[] floats(int guess, ToLongFunction<float[]> call) {
        float[] buffer = new float[guess];
        for (;;) {
            long needed = call.applyAsLong(buffer);
            if (needed == buffer.length) return buffer;
            if (needed < buffer.length) return Arrays.copyOf(buffer, (int) needed);
            buffer = new float[length(needed)];
        }
    }

    /** A guess of a buffer's length that does not overflow. */
    public static int guess(long length) {
        return (int) Math.min(length, LONGEST);
    }

    private static int length(long needed) {
        if (needed > LONGEST)
            throw new LlmException(Status.LIMIT, "the result has " + needed + " elements; an array holds " + LONGEST);
        return (int) needed;
    }
}
