package org.libllm.internal;

import java.lang.ref.Cleaner;
import java.lang.ref.Reference;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongConsumer;
import java.util.function.LongFunction;
import java.util.function.Supplier;
import org.libllm.LlmException;
import org.libllm.Status;

/** A native object: closed once, on demand or after its handle became unreachable, but not while a call uses it. */
public final class Handle {
    private static final Cleaner CLEANER = Cleaner.create();

    private final State state;
    private final Cleaner.Cleanable cleanable;
    private final AtomicBoolean taken = new AtomicBoolean();

    /** Takes over a native object. What closes it must not refer to the object that has the handle. */
    public Handle(String name, long pointer, LongConsumer closer) {
        state = new State(name, pointer, closer);
        cleanable = CLEANER.register(this, state::close);
    }

    /** Calls a function with the native object, which stays until it returns. */
    public <T> T call(LongFunction<T> function) {
        if (!state.begin()) throw new IllegalStateException("this " + state.name + " is closed");
        try {
            return function.apply(state.pointer);
        } finally {
            state.end();
            Reference.reachabilityFence(this);
        }
    }

    /** The same for an object of one thread at a time. */
    public <T> T callAlone(LongFunction<T> function) {
        return alone(() -> call(function));
    }

    /** Calls a function with the native object unless it is closed. */
    public void callIfOpen(LongConsumer function) {
        if (!state.begin()) return;
        try {
            function.accept(state.pointer);
        } finally {
            state.end();
            Reference.reachabilityFence(this);
        }
    }

    /** Keeps other threads out of an object of one thread at a time, whether it is open or not. */
    public <T> T alone(Supplier<T> function) {
        if (!taken.compareAndSet(false, true))
            throw new LlmException(Status.BUSY, "another thread is using this " + state.name);
        try {
            return function.get();
        } finally {
            taken.set(false);
        }
    }

    /** Whether it was closed. */
    public boolean isClosed() {
        return state.isClosed();
    }

    /** Closes it now, or when the calls that use it have ended. */
    public void close() {
        cleanable.clean();
    }

    /** What the cleaner needs, and so what must not refer to the handle. */
    private static final class State {
        private final String name;
        private final long pointer;
        private final LongConsumer closer;
        private int calls;
        private boolean closed;

        State(String name, long pointer, LongConsumer closer) {
            this.name = name;
            this.pointer = pointer;
            this.closer = closer;
        }

        synchronized boolean isClosed() {
            return closed;
        }

        synchronized boolean begin() {
            if (!closed) ++calls;
            return !closed;
        }

        void end() {
            boolean last;
            synchronized (this) {
                last = --calls == 0 && closed;
            }
            if (last) closer.accept(pointer);
        }

        void close() {
            boolean now;
            synchronized (this) {
                now = !closed && calls == 0;
                closed = true;
            }
            if (now) closer.accept(pointer);
        }
    }
}
