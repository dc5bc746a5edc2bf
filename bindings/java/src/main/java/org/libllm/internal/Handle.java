package org.libllm.internal;

import java.lang.ref.Cleaner;
import java.lang.ref.Reference;
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

    /**
     * Calls a function with the native object, which stays until it returns. The owner is named, so that it stays
     * reachable until then: a method may be running of an object that nothing refers to any more.
     */
    public <T> T call(Object owner, LongFunction<T> function) {
        begin();
        try {
            return function.apply(pointer);
        } finally {
            end();
            Reference.reachabilityFence(owner);
        }
    }

    /** The same for an object of one thread at a time. */
    public <T> T callAlone(Object owner, LongFunction<T> function) {
        return alone(owner, () -> call(owner, function));
    }

    /** Keeps other threads out of an object of one thread at a time, whether it is open or not. */
    public <T> T alone(Object owner, Supplier<T> function) {
        if (!taken.compareAndSet(false, true))
            throw new LlmException(Status.BUSY, "another thread is using this " + name);
        try {
            return function.get();
        } finally {
            taken.set(false);
            Reference.reachabilityFence(owner);
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

    private synchronized void begin() {
        if (closed) throw new IllegalStateException("this " + name + " is closed");
        ++calls;
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
