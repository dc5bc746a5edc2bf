// Conformance cases that generate: after a prompt, and after a sequence was changed.

package llm_test

import (
	"context"
	"errors"
	"io"
	"path/filepath"
	"testing"

	"github.com/libllm/libllm/bindings/go"
)

// chunkList collects the chunks of a generation as a result.
type chunkList struct {
	tokens   []llm.Token
	chunks   []string
	text     string
	finish   llm.FinishReason
	logprobs []float32
	top      [][][2]any
}

func (l *chunkList) add(chunk llm.Chunk) {
	l.tokens = append(l.tokens, chunk.Token)
	l.chunks = append(l.chunks, chunk.Text)
	l.text += chunk.Text
	l.finish = chunk.Finish
	l.logprobs = append(l.logprobs, chunk.Logprob)
	top := [][2]any{}
	for _, candidate := range chunk.Top {
		top = append(top, [2]any{candidate.Token, candidate.Logprob})
	}
	l.top = append(l.top, top)
}

func (l *chunkList) result(withLogprobs bool) object {
	finish := []string{"none", "end_token", "stop", "length", "context_full"}[l.finish]
	made := object{"tokens": l.tokens, "chunks": l.chunks, "text": l.text, "finish": finish}
	if withLogprobs {
		made["logprobs"], made["top"] = l.logprobs, l.top
	}
	return made
}

func generateCase(t *testing.T, c *testCase) (object, error) {
	model := openModel(t, c.Model)
	prompt := c.Tokens
	if prompt == nil {
		prompt = encode(t, model, c.Prompt)
	}
	session, err := contextWith(t, model, c.Context)
	if err != nil {
		return nil, err
	}
	sampler, err := samplerWith(t, c.Sampler)
	if err != nil {
		return nil, err
	}
	list := append(settings(llm.GenerationSet, c.Generation), llm.Stop(c.Stops...))
	generation, err := session.Generate(sampler, prompt, list...)
	if err != nil {
		return nil, err
	}
	defer generation.Close()
	found := &chunkList{tokens: []llm.Token{}, chunks: []string{}, logprobs: []float32{}, top: [][][2]any{}}
	cancelled := false
	for step := 0; ; step++ {
		if c.After != nil && step == *c.After {
			session.Cancel()
			_, err := generation.Next(context.Background())
			cancelled = errors.Is(err, llm.ErrCancelled)
		}
		chunk, err := generation.Next(context.Background())
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, err
		}
		found.add(chunk)
	}
	_, withLogprobs := c.Generation["logprobs"]
	made := found.result(withLogprobs)
	if c.After != nil {
		made["cancelled"] = cancelled
	}
	return made, nil
}

// follow gives the tokens that follow a prompt in a sequence, by greedy choice.
func follow(t *testing.T, session *llm.Context, prompt []llm.Token, count, sequence int) []llm.Token {
	t.Helper()
	generation, err := session.Generate(newSampler(t), prompt, llm.MaxTokens(count), llm.Sequence(sequence))
	require(t, err)
	var tokens []llm.Token
	for chunk, err := range generation.Chunks(context.Background()) {
		require(t, err)
		tokens = append(tokens, chunk.Token)
	}
	return tokens
}

// continuation gives the tokens of a text that continues another.
func continuation(t *testing.T, model *llm.Model, text string) []llm.Token {
	t.Helper()
	tokens, err := model.Tokenizer().Encode(text, 0)
	require(t, err)
	return tokens
}

// prompted gives a context in which the case's prompt was evaluated.
func prompted(t *testing.T, c *testCase, more ...llm.ContextOption) (*llm.Model, *llm.Context, error) {
	t.Helper()
	model := openModel(t, c.Model)
	session, err := contextWith(t, model, c.Context, more...)
	if err == nil {
		err = session.Eval(context.Background(), 0, encode(t, model, c.Prompt), llm.LogitsLast)
	}
	return model, session, err
}

func forkCase(t *testing.T, c *testCase) (object, error) {
	model, session, err := prompted(t, c, llm.MaxSequences(2))
	if err != nil {
		return nil, err
	}
	if err := session.Fork(0, 1); err != nil {
		return nil, err
	}
	first := follow(t, session, continuation(t, model, c.First), c.Count, 0)
	second := follow(t, session, continuation(t, model, c.Second), c.Count, 1)
	return object{"first": first, "second": second}, nil
}

func rewindCase(t *testing.T, c *testCase) (object, error) {
	model, session, err := prompted(t, c)
	if err != nil {
		return nil, err
	}
	if err := session.Truncate(0, c.Length); err != nil {
		return nil, err
	}
	return object{"tokens": follow(t, session, continuation(t, model, c.Text), c.Count, 0)}, nil
}

func reuseCase(t *testing.T, c *testCase) (object, error) {
	model, session, err := prompted(t, c)
	if err != nil {
		return nil, err
	}
	next := encode(t, model, c.Next)
	kept, err := session.ReusePrefix(0, next)
	if err != nil {
		return nil, err
	}
	return object{"kept": kept, "tokens": follow(t, session, next[kept:], c.Count, 0)}, nil
}

func stateCase(t *testing.T, c *testCase) (object, error) {
	model, from, err := prompted(t, c)
	if err != nil {
		return nil, err
	}
	to, err := contextWith(t, model, c.Into)
	if err != nil {
		return nil, err
	}
	if c.File == true {
		path := filepath.Join(t.TempDir(), "sequence.state")
		require(t, from.SaveStateFile(0, path))
		err = to.RestoreStateFile(0, path)
	} else {
		state, saveErr := from.SaveState(0)
		require(t, saveErr)
		switch c.Damage {
		case "truncate":
			state = state[:len(state)-1]
		case "flip":
			state[len(state)/2] ^= 1
		}
		err = to.RestoreState(0, state)
	}
	if err != nil {
		return nil, err
	}
	length, err := to.SequenceLength(0)
	require(t, err)
	return object{"length": length, "tokens": follow(t, to, continuation(t, model, c.Text), c.Count, 0)}, nil
}
