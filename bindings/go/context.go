// Contexts: evaluating tokens.

package llm

import (
	"context"
	"math"
	"sync/atomic"

	"github.com/libllm/libllm/bindings/go/internal/raw"
)

// A Context evaluates tokens with a model, and keeps the sequences that were evaluated with their key-value cache. One
// goroutine may use it at a time; another one gets [ErrBusy].
type Context struct {
	handle
	cancels atomic.Uint64 // calls of Cancel
	late    atomic.Uint64 // see run
}

// A ContextOption is an option of [Model.NewContext].
type ContextOption func(*options) error

// ContextSet sets any option of the group [ContextOptions] by its name; see [Options].
func ContextSet(name, value string) ContextOption { return setting[ContextOption](name, value) }

// ContextLength is the number of tokens that a sequence can hold; 0, the default, is the length that the model was
// trained for, but at most 4096.
func ContextLength(tokens int) ContextOption { return integer[ContextOption]("context_length", tokens) }

// BatchSize is the number of tokens that are computed at once; longer inputs are split. 0, the default, is 512, and for
// encoders, which cannot split an input, the context length.
func BatchSize(tokens int) ContextOption { return integer[ContextOption]("batch_size", tokens) }

// Threads is the number of threads that compute, the calling one included; 0, the default, is the machine's.
func Threads(count int) ContextOption { return integer[ContextOption]("threads", count) }

// MaxSequences is the number of independent sequences, which are numbered from 0; 1 by default.
func MaxSequences(count int) ContextOption { return integer[ContextOption]("max_sequences", count) }

// CacheTypes are the types of the cached keys and values: "q16", which is the default, "f16", "f32", "bf16" or "q8_0".
func CacheTypes(keys, values string) ContextOption {
	return func(o *options) error {
		if err := o.set("cache_type_k", keys); err != nil {
			return err
		}
		return o.set("cache_type_v", values)
	}
}

// FullWindowCache keeps all positions of layers with a sliding window, so that a sequence can be shortened to any
// length. It takes more memory; the results are the same.
func FullWindowCache() ContextOption { return ContextSet("window_cache", "full") }

// MaxContextMemory is the most bytes that cache, scratch memory and logits may take; 0, the default, is no limit.
func MaxContextMemory(bytes uint64) ContextOption { return integer[ContextOption]("max_memory", bytes) }

// NewContext makes a context, with all memory that evaluation needs. It stays usable when the model is closed.
// [ErrState] when the model was opened without weights, [ErrNoMemory], [ErrArgument].
func (m *Model) NewContext(list ...ContextOption) (*Context, error) {
	if err := m.enter(); err != nil {
		return nil, err
	}
	defer m.leave()
	o, err := newOptions(ContextOptions, list)
	if err != nil {
		return nil, err
	}
	defer o.free()
	var native uintptr
	if err := check(raw.LlmContextNew(&native, m.native, raw.RawContextOptions(o.native))); err != nil {
		return nil, err
	}
	c := &Context{}
	c.adopt(native, raw.LlmContextClose, false)
	return c, nil
}

// Close gives the context back. It always returns nil.
func (c *Context) Close() error {
	if c != nil {
		c.close()
	}
	return nil
}

// Cancel makes the evaluation, generation or embedding that is running in this context return [ErrCancelled] within a
// layer's time; without one, the next. It may be called from any goroutine. A context.Context does the same.
func (c *Context) Cancel() {
	c.cancels.Add(1)
	raw.LlmCancel(c.native)
}

// run makes a native call that ctx can stop; the context is entered. When ctx ends just after the call did, the library
// is told too late and would cancel the next call instead. `late` is then one more than the number of Cancels that
// there were, so that such a call is made again, unless somebody cancelled it on purpose.
func (c *Context) run(ctx context.Context, call func() raw.Outcome) (raw.Outcome, error) {
	if ctx == nil {
		return raw.Outcome{}, argumentError("no context.Context")
	}
	for {
		if ctx.Err() != nil {
			return raw.Outcome{}, stopped(ctx)
		}
		cancels := c.cancels.Load()
		outcome, told := c.watch(ctx, call)
		cancelled := Status(outcome.Status) == ErrCancelled
		switch {
		case told && !cancelled:
			c.late.Store(cancels + 1)
		case cancelled && ctx.Err() != nil:
			return outcome, stopped(ctx)
		case cancelled && c.late.Swap(0) == cancels+1 && c.cancels.Load() == cancels:
			continue
		}
		return outcome, check(outcome)
	}
}

// watch makes a call and cancels it when ctx is done; told is whether it did so.
func (c *Context) watch(ctx context.Context, call func() raw.Outcome) (outcome raw.Outcome, told bool) {
	if ctx.Done() == nil {
		return call(), false
	}
	finished := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		raw.LlmCancel(c.native)
		close(finished)
	})
	outcome = call()
	if !stop() {
		<-finished
		told = true
	}
	return outcome, told
}

// EvalLogits says which logits an evaluation keeps.
type EvalLogits uint32

// The logits to keep.
const (
	LogitsLast EvalLogits = 0 // those of the last token
	LogitsAll  EvalLogits = 1 // those of every token
	LogitsNone EvalLogits = 2
)

// Eval appends tokens to a sequence and evaluates them. The result does not depend, to the bit, on how a text is
// divided into calls. All or nothing: after any error the sequence is as before, and there are no logits.
// [ErrCancelled], [ErrContextFull], [ErrState] when the model is an encoder, [ErrArgument] for a token outside the
// vocabulary.
func (c *Context) Eval(ctx context.Context, sequence int, tokens []Token, logits EvalLogits) error {
	if err := c.enter(); err != nil {
		return err
	}
	defer c.leave()
	_, err := c.run(ctx, func() raw.Outcome {
		return raw.LlmEval(c.native, number(sequence), tokens, uint32(logits))
	})
	return err
}

// EvalBatch evaluates tokens of several sequences together, which takes hardly longer than one of them alone. All or
// nothing, with the errors of [Context.Eval]. The batch stays as it is and may be evaluated again.
func (c *Context) EvalBatch(ctx context.Context, batch *Batch) error {
	if batch == nil {
		return argumentError("no batch")
	}
	if err := c.enter(); err != nil {
		return err
	}
	defer c.leave()
	if err := batch.enter(); err != nil {
		return err
	}
	defer batch.leave()
	_, err := c.run(ctx, func() raw.Outcome { return raw.LlmEvalBatch(c.native, batch.native) })
	return err
}

// Logits gives a row of the last evaluation's logits, one for each token of the vocabulary; -1 is the last row.
// [ErrState] when there are none.
func (c *Context) Logits(row int) ([]float32, error) {
	if err := c.enter(); err != nil {
		return nil, err
	}
	defer c.leave()
	return fill(0, func(out []float32, needed *uint64) raw.Outcome {
		return raw.RawLogits(out, needed, c.native, number(row))
	})
}

// TokenLogprob is a token with the natural logarithm of its probability at temperature 1, no sampler applied.
type TokenLogprob struct {
	Token   Token
	Logprob float32
}

// Logprobs gives the most probable tokens of a row of logits, at most count of them, the best first; -1 is the last
// row. [ErrState] when there are no logits, [ErrNonfinite].
func (c *Context) Logprobs(row, count int) ([]TokenLogprob, error) {
	info, err := c.Info()
	if err != nil {
		return nil, err
	}
	if err := c.enter(); err != nil {
		return nil, err
	}
	defer c.leave()
	return pairs(max(min(count, info.VocabularySize), 0),
		func(tokens []int32, count *uint64, values []float32, valueCount *uint64) raw.Outcome {
			return raw.RawLogprobs(tokens, count, values, valueCount, c.native, number(row))
		})
}

// pairs makes a native call that writes at most count tokens and as many values.
func pairs(count int, call func([]int32, *uint64, []float32, *uint64) raw.Outcome) ([]TokenLogprob, error) {
	tokens, values := make([]int32, count), make([]float32, count)
	var written, valuesWritten uint64
	if err := check(call(tokens, &written, values, &valuesWritten)); err != nil {
		return nil, err
	}
	list := make([]TokenLogprob, written)
	for i := range list {
		list[i] = TokenLogprob{tokens[i], values[i]}
	}
	return list, nil
}

// Pooling says how the vectors of the tokens of an input become the input's embedding.
type Pooling int32

// The ways of pooling.
const (
	PoolingDefault Pooling = 0 // as the model's file says, the mean if it says nothing
	PoolingMean    Pooling = 1
	PoolingFirst   Pooling = 2 // the vector of the first token, often called CLS
	PoolingLast    Pooling = 3
	PoolingNone    Pooling = 4 // all vectors, one behind the other
)

// Embed computes the embedding of an input with an encoder; tokens come from [Tokenizer.Encode] with [AddSpecial]. A
// normalized embedding has the length 1, so that a dot product is the cosine. No sequence changes. [ErrCancelled];
// [ErrState] when the model is no encoder; [ErrContextFull] when there are more tokens than the batch size.
func (c *Context) Embed(ctx context.Context, tokens []Token, pooling Pooling, normalize bool) ([]float32, error) {
	if err := c.enter(); err != nil {
		return nil, err
	}
	defer c.leave()
	var flags uint32
	if normalize {
		flags = uint32(raw.LLM_EMBED_NORMALIZE)
	}
	var embedding []float32
	_, err := c.run(ctx, func() (outcome raw.Outcome) {
		embedding, outcome = fillOutcome(0, func(out []float32, needed *uint64) raw.Outcome {
			return raw.LlmEmbed(out, needed, c.native, tokens, int32(pooling), flags)
		})
		return outcome
	})
	return embedding, err
}

// ContextInfo has the values that are in force in a context.
type ContextInfo struct {
	CacheBytes, ScratchBytes                                        uint64
	ContextLength, BatchSize, Threads, MaxSequences, VocabularySize int
}

// Info gives the values that are in force.
func (c *Context) Info() (ContextInfo, error) {
	if err := c.enter(); err != nil {
		return ContextInfo{}, err
	}
	defer c.leave()
	i := raw.NewLlmContextInfo()
	defer raw.DeleteLlmContextInfo(i)
	if err := check(raw.LlmContextGetInfo(i, c.native)); err != nil {
		return ContextInfo{}, err
	}
	return ContextInfo{
		CacheBytes: i.GetCacheBytes(), ScratchBytes: i.GetScratchBytes(), ContextLength: int(i.GetContextLength()),
		BatchSize: int(i.GetBatchSize()), Threads: int(i.GetThreads()), MaxSequences: int(i.GetMaxSequences()),
		VocabularySize: int(i.GetVocabularySize()),
	}, nil
}

// SetThreads changes the number of threads that compute; 0 is the machine's default. Results stay the same, to the
// bit; logits and sequences are kept.
func (c *Context) SetThreads(count int) error {
	if err := c.enter(); err != nil {
		return err
	}
	defer c.leave()
	return check(raw.LlmContextSetThreads(c.native, number(count)))
}

// number is an int for the library; what does not fit becomes a number that is outside every range.
func number(value int) int32 {
	if value < math.MinInt32 || value > math.MaxInt32 {
		return math.MinInt32
	}
	return int32(value)
}
