// What all objects have in common: a native handle, who is using it, and its end.

package llm

import (
	"runtime"
	"sync/atomic"

	"github.com/libllm/libllm/bindings/go/internal/raw"
)

// Bits of handle.state: whether Close was called, whether the native object was given back, and above that the number
// of calls that are inside.
const (
	closed   = 1
	released = 2
	oneCall  = 4
)

// handle is the native half of an object. The library lends some texts and numbers until the next call or until the
// object is closed; that they are copied before, whatever other goroutines do, is what enter and leave are for.
type handle struct {
	native  uintptr
	release func(uintptr)
	shared  bool // any number of calls at the same time
	state   atomic.Int64
	cleanup runtime.Cleanup
}

// adopt makes h, which is part of an object of this package, the owner of a native object.
func (h *handle) adopt(native uintptr, release func(uintptr), shared bool) {
	h.native, h.release, h.shared = native, release, shared
	h.cleanup = runtime.AddCleanup(h, release, native)
}

// enter begins a call. A nil error means that leave must follow.
func (h *handle) enter() error {
	for {
		state := h.state.Load()
		switch {
		case state&closed != 0:
			return ErrClosed
		case state >= oneCall && !h.shared:
			return &Error{Status: ErrBusy, Message: "another goroutine is using this object"}
		case h.native == 0:
			return argumentError("this object was not made by a function of the package")
		case h.state.CompareAndSwap(state, state+oneCall):
			return nil
		}
	}
}

// occupy is enter for an object on which another one stands: the native object outlives its Close then.
func (h *handle) occupy() error {
	for {
		state := h.state.Load()
		if state >= oneCall {
			return &Error{Status: ErrBusy, Message: "another goroutine is using this object"}
		}
		if h.state.CompareAndSwap(state, state+oneCall) {
			return nil
		}
	}
}

// leave ends a call. It also keeps the object from being collected, and so released, before.
func (h *handle) leave() {
	if h.state.Add(-oneCall) == closed {
		h.end(closed)
	}
	runtime.KeepAlive(h)
}

// close may be called at any time and by any goroutine; an object that is in use ends when it is left.
func (h *handle) close() {
	for {
		state := h.state.Load()
		if state&closed != 0 || h.native == 0 {
			return
		}
		if state == 0 && h.end(state) || state != 0 && h.state.CompareAndSwap(state, state|closed) {
			h.cleanup.Stop()
			return
		}
	}
}

// end gives the native object back if nobody has entered since state was read.
func (h *handle) end(state int64) bool {
	if !h.state.CompareAndSwap(state, closed|released) {
		return false
	}
	h.release(h.native)
	return true
}

// This package is for 64-bit systems, on which a size is an int and a uint64: this line does not compile elsewhere.
const _ uint = 1 << 63

// maxGuess keeps a first buffer in bounds whatever the size of the input.
const maxGuess = 1 << 22

// fill makes a native call of the kind that writes to a buffer and says how much it needs; guess is the first size.
func fill[T any](guess int, call func(out []T, needed *uint64) raw.Outcome) ([]T, error) {
	out, outcome := fillOutcome(guess, call)
	return out, check(outcome)
}

// fillOutcome is fill for those who look at the outcome.
func fillOutcome[T any](guess int, call func(out []T, needed *uint64) raw.Outcome) ([]T, raw.Outcome) {
	out := make([]T, min(guess, maxGuess))
	for {
		var needed uint64
		outcome := call(out, &needed)
		switch Status(outcome.Status) {
		case statusOK:
			return out[:needed], outcome
		case statusBufferTooSmall:
			out = make([]T, needed)
		default:
			return nil, outcome
		}
	}
}

// fillText is fill for a text.
func fillText(call func(out []byte, needed *uint64) raw.Outcome) (string, error) {
	text, err := fill(256, call)
	return string(text), err
}
