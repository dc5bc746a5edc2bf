// Generations: text that is pulled token by token.

package llm

import (
	"context"
	"io"
	"iter"
	"strings"

	"github.com/libllm/libllm/bindings/go/internal/raw"
)

// A Generation continues a sequence of a context. One goroutine may use it at a time; while it runs, its context and
// its sampler are in use, too. Context and sampler may be closed before it.
type Generation struct {
	handle
	context *Context
	sampler *Sampler
	chunk   raw.LlmChunk
}

// A GenerationOption is an option of [Context.Generate].
type GenerationOption func(*options) error

// GenerationSet sets any option of the group [GenerationOptions] by its name; see [Options].
func GenerationSet(name, value string) GenerationOption {
	return setting[GenerationOption](name, value)
}

// Sequence is the sequence that is continued; 0 by default.
func Sequence(sequence int) GenerationOption { return integer[GenerationOption]("sequence", sequence) }

// MaxTokens is the most tokens to generate; 0, the default, goes on until the context is full.
func MaxTokens(count int) GenerationOption { return integer[GenerationOption]("max_tokens", count) }

// Logprobs gives each chunk its logprob and that many of the most probable tokens; 0, the default, gives none.
func Logprobs(count int) GenerationOption { return integer[GenerationOption]("logprobs", count) }

// ReusePrefix says that the prompt is the sequence's whole text, a conversation so far for instance. What the sequence
// has of it already is not evaluated again. Without it, the prompt is appended.
func ReusePrefix() GenerationOption { return flag[GenerationOption]("reuse_prefix", true) }

// Stop ends the generation at any of these texts, of complete characters, which are not part of the output. One that
// spells a control token stops at that token.
func Stop(texts ...string) GenerationOption {
	return func(o *options) error {
		for _, text := range texts {
			if err := o.setText("stop", text); err != nil {
				return err
			}
		}
		return nil
	}
}

// FinishReason says why a generation ended.
type FinishReason int32

// The reasons.
const (
	FinishNone        FinishReason = 0 // it goes on
	FinishEndToken    FinishReason = 1 // the model ended its text
	FinishStop        FinishReason = 2 // a stop text was found
	FinishLength      FinishReason = 3 // that many tokens were wanted
	FinishContextFull FinishReason = 4 // the sequence has no room for a further token
)

// String gives the reason in words.
func (r FinishReason) String() string {
	names := []string{"none", "end token", "stop", "length", "context full"}
	if r < 0 || int(r) >= len(names) {
		return "unknown"
	}
	return names[r]
}

// A Chunk is what one step of a generation gives.
type Chunk struct {
	Text    string // complete UTF-8, possibly empty
	Token   Token  // that was chosen
	Finish  FinishReason
	Logprob float32        // of the token, if [Logprobs] was set
	Top     []TokenLogprob // the most probable tokens, the best first, if [Logprobs] was set
}

// Generate starts a generation that continues a sequence after prompt, whose tokens are appended first. The prompt may
// be empty when the last evaluation gave the sequence's last token logits. Nothing is evaluated yet. [ErrState] when
// there is neither prompt nor logits, [ErrArgument].
func (c *Context) Generate(sampler *Sampler, prompt []Token, list ...GenerationOption) (*Generation, error) {
	if sampler == nil {
		return nil, argumentError("no sampler")
	}
	if err := c.enter(); err != nil {
		return nil, err
	}
	defer c.leave()
	if err := sampler.enter(); err != nil {
		return nil, err
	}
	defer sampler.leave()
	o, err := newOptions(GenerationOptions, list)
	if err != nil {
		return nil, err
	}
	defer o.free()
	var native uintptr
	outcome := raw.LlmGenerationStart(&native, c.native, sampler.native, prompt, raw.RawGenerationOptions(o.native))
	if err := check(outcome); err != nil {
		return nil, err
	}
	g := &Generation{context: c, sampler: sampler, chunk: raw.NewLlmChunk()}
	chunk := g.chunk
	g.adopt(native, func(native uintptr) {
		raw.LlmGenerationClose(native)
		raw.DeleteLlmChunk(chunk)
	}, false)
	return g, nil
}

// Close gives the generation back. The sequence keeps the prompt and all tokens that were evaluated. It always returns
// nil.
func (g *Generation) Close() error {
	if g != nil {
		g.close()
	}
	return nil
}

// Next generates a token and gives the text that has become certain: incomplete characters and possible beginnings of
// a stop text are held back, so that all chunks together are exactly the text. Bytes that never become a character
// are U+FFFD at the end. The chunk with a finish reason is the last; after it comes [io.EOF].
//
// [ErrCancelled] when ctx or [Context.Cancel] stopped it, otherwise the errors of [Context.Eval] and [Sampler.Sample].
// The generation is then as before the call, and Next may be called again.
func (g *Generation) Next(ctx context.Context) (Chunk, error) {
	if err := g.enter(); err != nil {
		return Chunk{}, err
	}
	defer g.leave()
	if err := g.context.occupy(); err != nil {
		return Chunk{}, err
	}
	defer g.context.leave()
	if err := g.sampler.occupy(); err != nil {
		return Chunk{}, err
	}
	defer g.sampler.leave()
	outcome, err := g.context.run(ctx, func() raw.Outcome { return raw.LlmGenerationNext(g.chunk, g.native) })
	if Status(outcome.Status) == statusEnd {
		return Chunk{}, io.EOF
	}
	if err != nil {
		return Chunk{}, err
	}
	return g.copyChunk()
}

// copyChunk copies what the library lends until the next call.
func (g *Generation) copyChunk() (Chunk, error) {
	made := Chunk{
		Token: g.chunk.GetToken(), Finish: FinishReason(g.chunk.GetFinishReason()), Logprob: g.chunk.GetLogprob(),
	}
	var err error
	made.Text, err = fillText(func(out []byte, needed *uint64) raw.Outcome {
		return raw.RawChunkText(out, needed, g.chunk)
	})
	if count := int(g.chunk.GetTopCount()); err == nil && count > 0 {
		made.Top, err = pairs(count, func(t []int32, n *uint64, v []float32, m *uint64) raw.Outcome {
			return raw.RawChunkTop(t, n, v, m, g.chunk)
		})
	}
	return made, err
}

// Chunks are the chunks up to the last one, for a loop:
//
//	for chunk, err := range generation.Chunks(ctx) {
//		if err != nil {
//			return err
//		}
//		fmt.Print(chunk.Text)
//	}
//
// An error is the last that the loop sees. When the loop ends, however that may be, the generation is closed; who wants
// to go on after an error calls [Generation.Next] instead.
func (g *Generation) Chunks(ctx context.Context) iter.Seq2[Chunk, error] {
	return func(yield func(Chunk, error) bool) {
		defer g.Close()
		for {
			chunk, err := g.Next(ctx)
			if err == io.EOF || !yield(chunk, err) || err != nil {
				return
			}
		}
	}
}

// Text generates to the end, closes the generation and gives all its text; after an error what there was until then.
func (g *Generation) Text(ctx context.Context) (string, error) {
	var text strings.Builder
	for chunk, err := range g.Chunks(ctx) {
		if err != nil {
			return text.String(), err
		}
		text.WriteString(chunk.Text)
	}
	return text.String(), nil
}
