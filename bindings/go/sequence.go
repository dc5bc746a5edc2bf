// The sequences of a context: their lengths, copies, saved states; and what a context has done.

package llm

import (
	"time"

	"github.com/libllm/libllm/bindings/go/internal/raw"
)

// SequenceLength is the number of tokens in a sequence.
func (c *Context) SequenceLength(sequence int) (int, error) {
	return c.count(func(out *uint64) raw.Outcome {
		return raw.LlmSequenceLength(out, c.native, number(sequence))
	})
}

// Truncate shortens a sequence to its first length tokens. [ErrArgument] when it is shorter already; [ErrState] when
// layers with a sliding window no longer have what the next token needs, unless [FullWindowCache] was set; the message
// says which lengths are possible.
func (c *Context) Truncate(sequence, length int) error {
	return c.do(func() raw.Outcome {
		return raw.LlmSequenceTruncate(c.native, number(sequence), uint64(length))
	})
}

// Remove empties a sequence, which may then be used again.
func (c *Context) Remove(sequence int) error {
	return c.do(func() raw.Outcome { return raw.LlmSequenceRemove(c.native, number(sequence)) })
}

// Fork makes sequence to a copy of sequence from. Nothing is evaluated, and both share their memory until they go
// different ways.
func (c *Context) Fork(from, to int) error {
	return c.do(func() raw.Outcome { return raw.LlmSequenceFork(c.native, number(from), number(to)) })
}

// ReusePrefix prepares a sequence for a text of which it may have the beginning already: it is shortened to the part
// that both begin with. That part's length is returned, at most len(tokens)-1; only tokens[kept:] are still to be
// evaluated.
func (c *Context) ReusePrefix(sequence int, tokens []Token) (kept int, err error) {
	return c.count(func(out *uint64) raw.Outcome {
		return raw.LlmSequenceReusePrefix(out, c.native, number(sequence), tokens)
	})
}

// SaveState saves a sequence, to go on with it later or elsewhere. [ErrState] when the model is an encoder.
func (c *Context) SaveState(sequence int) ([]byte, error) {
	if err := c.enter(); err != nil {
		return nil, err
	}
	defer c.leave()
	return fill(0, func(out []byte, needed *uint64) raw.Outcome {
		return raw.LlmStateSave(out, needed, c.native, number(sequence))
	})
}

// RestoreState replaces a sequence by a saved one, in any context of the same model with the same cache types. There
// are no logits before the next evaluation. The bytes may come from anywhere: [ErrTruncated], [ErrMalformed] or
// [ErrUnsupported] when they are no such state, [ErrModel] when it is of another model, [ErrState] for other cache
// types, [ErrContextFull] when it is too long; the sequence is then as before.
func (c *Context) RestoreState(sequence int, state []byte) error {
	return c.do(func() raw.Outcome {
		return raw.LlmStateRestore(c.native, number(sequence), bytesAsString(state))
	})
}

// SaveStateFile saves a sequence to a file; one that was there before stays whole when it fails. Also [ErrIO].
func (c *Context) SaveStateFile(sequence int, path string) error {
	if err := checkName("the path", path); err != nil {
		return err
	}
	return c.do(func() raw.Outcome { return raw.LlmStateSaveFile(c.native, number(sequence), path) })
}

// RestoreStateFile is [Context.RestoreState] from a file. Also [ErrIO].
func (c *Context) RestoreStateFile(sequence int, path string) error {
	if err := checkName("the path", path); err != nil {
		return err
	}
	return c.do(func() raw.Outcome { return raw.LlmStateRestoreFile(c.native, number(sequence), path) })
}

// Counters say what a context has done. Calls that failed or were cancelled do not count.
type Counters struct {
	PromptTokens    uint64 // evaluated in calls with several tokens of a sequence, and embedded
	PromptTime      time.Duration
	SingleTokens    uint64 // evaluated in calls with one token of a sequence, as in generation
	SingleTime      time.Duration
	ReusedTokens    uint64 // of prompts, found in the cache
	Evaluations     uint64
	FirstTokenTime  time.Duration // of the last generation; 0 before it
	LongestSequence uint64        // tokens
}

// Counters gives what the context has done since it was made or [Context.ResetCounters] was called.
func (c *Context) Counters() (Counters, error) {
	if err := c.enter(); err != nil {
		return Counters{}, err
	}
	defer c.leave()
	n := raw.NewLlmContextCounters()
	defer raw.DeleteLlmContextCounters(n)
	if err := check(raw.LlmContextGetCounters(n, c.native)); err != nil {
		return Counters{}, err
	}
	return Counters{
		PromptTokens: n.GetPromptTokens(), PromptTime: time.Duration(n.GetPromptNanoseconds()),
		SingleTokens: n.GetSingleTokens(), SingleTime: time.Duration(n.GetSingleNanoseconds()),
		ReusedTokens: n.GetReusedTokens(), Evaluations: n.GetEvaluations(),
		FirstTokenTime:  time.Duration(n.GetFirstTokenNanoseconds()),
		LongestSequence: n.GetLongestSequence(),
	}, nil
}

// ResetCounters sets all counters to 0.
func (c *Context) ResetCounters() error {
	return c.do(func() raw.Outcome { return raw.LlmContextResetCounters(c.native) })
}

func (c *Context) do(call func() raw.Outcome) error {
	if err := c.enter(); err != nil {
		return err
	}
	defer c.leave()
	return check(call())
}

func (c *Context) count(call func(out *uint64) raw.Outcome) (int, error) {
	var count uint64
	err := c.do(func() raw.Outcome { return call(&count) })
	return int(count), err
}
