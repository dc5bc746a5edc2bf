package org.libllm.internal;

import java.lang.ref.Cleaner;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongConsumer;
import java.util.function.LongFunction;
import java.util.function.Supplier;
import org.libllm.LlmException;
import org.libllm.Status;

/** A native object: closed once, by its owner or after the owner became unreachable, but not while a call uses it. */
public final class Handle {
    private static final Cleaner CLEANER = Cleaner.create();

    private final String name;
    private final long pointer;
    private final LongConsumer closer;
    private final AtomicBoolean taken = new AtomicBoolean();
    private Cleaner.Cleanable cleanable;
    private int calls;
    private boolean closed;

    private Handle(String name, long pointer, LongConsumer closer) {
        this.name = name;
        this.pointer = pointer;
        this.closer = closer;
    }

    /** Takes over a native object for its Java object. Neither {@code closer} nor the name may refer to the owner. */
    public static Handle of(Object owner, String name, long pointer, LongConsumer closer) {
        Handle handle = new Handle(name, pointer, closer);
        handle.cleanable = CLEANER.register(owner, handle::closeOnce);
        return handle;
    }

    /** Calls a function with the native object, which stays until it returns. */
    public <T> T call(LongFunction<T> function) {
        if (!begin()) throw new IllegalStateException("this " + name + " is closed");
        try {
            return function.apply(pointer);
        } finally {
            end();
        }
    }

    /** The same for an object of one thread at a time. */
    public <T> T callAlone(LongFunction<T> function) {
        return alone(() -> call(function));
    }

    /** Calls a function with the native object unless it is closed. */
    public void callIfOpen(LongConsumer function) {
        if (!begin()) return;
        try {
            function.accept(pointer);
        } finally {
            end();
        }
    }

    /** Keeps other threads out of an object of one thread at a time, whether it is open or not. */
    public <T> T alone(Supplier<T> function) {
        if (!taken.compareAndSet(false, true))
            throw new LlmException(Status.BUSY, "another thread is using this " + name);
        try {
            return function.get();
        } finally {
            taken.set(false);
        }
    }

    /** Whether it was closed. */
    public synchronized boolean isClosed() {
        return closed;
    }

    /** Closes it now, or when the calls that use it have ended. */
    public void close() {
        cleanable.clean();
    }

    private synchronized boolean begin() {
        if (!closed) ++calls;
        return !closed;
    }

    private void end() {
        boolean last;
        synchronized (this) {
            last = --calls == 0 && closed;
        }
        if (last) closer.accept(pointer);
    }

    private void closeOnce() {
        boolean now;
        synchronized (this) {
            now = !closed && calls == 0;
            closed = true;
        }
        if (now) closer.accept(pointer);
    }
}
