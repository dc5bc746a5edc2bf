// Many goroutines on one model, and many objects one after the other.

package llm_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/libllm/libllm/bindings/go"
)

// story is a text that a context of its own generates.
func story(model *llm.Model, begin string, seed uint32) (string, error) {
	session, err := model.NewContext(llm.Threads(1), llm.ContextLength(128))
	if err != nil {
		return "", err
	}
	defer session.Close()
	sampler, err := llm.NewSampler(llm.Seed(seed))
	if err != nil {
		return "", err
	}
	defer sampler.Close()
	prompt, err := model.Tokenizer().Encode(begin, llm.AddSpecial)
	if err != nil {
		return "", err
	}
	generation, err := session.Generate(sampler, prompt, llm.MaxTokens(24))
	if err != nil {
		return "", err
	}
	return generation.Text(context.Background())
}

func TestGoroutinesShareAModel(t *testing.T) {
	model := openModel(t, "decoder")
	const goroutines, rounds, seeds = 16, 6, 4
	var expected [seeds]string
	for seed := range expected {
		text, err := story(model, "Once upon a time", uint32(seed))
		require(t, err)
		expected[seed] = text
	}
	var group sync.WaitGroup
	for i := range goroutines {
		group.Add(1)
		go func() {
			defer group.Done()
			for round := range rounds {
				seed := (i + round) % seeds
				text, err := story(model, "Once upon a time", uint32(seed))
				if err != nil || text != expected[seed] {
					t.Errorf("goroutine %d, seed %d: %q, %v; expected %q", i, seed, text, err, expected[seed])
				}
				if tokens, err := model.Tokenizer().Encode("aé😀", 0); err != nil || len(tokens) != 7 {
					t.Errorf("goroutine %d: %v, %v", i, tokens, err)
				}
			}
		}()
	}
	group.Wait()
}

// The text of an error belongs to the call that failed, on whatever thread the goroutine is.
func TestErrorTextsOfManyGoroutines(t *testing.T) {
	var group sync.WaitGroup
	for i := range 32 {
		group.Add(1)
		go func() {
			defer group.Done()
			for round := range 200 {
				path := fmt.Sprintf("/none/%d-%d.gguf", i, round)
				if _, err := llm.Open(path); err == nil || !strings.Contains(err.Error(), path) {
					t.Errorf("%s: %v", path, err)
					return
				}
			}
		}()
	}
	group.Wait()
}

func TestContextsDoNotLeak(t *testing.T) {
	model := openModel(t, "decoder")
	flat(t, 10000, func() {
		session, err := model.NewContext(llm.ContextLength(32), llm.BatchSize(8))
		require(t, err)
		require(t, session.Close())
	})
}

func TestTokenizationsDoNotLeak(t *testing.T) {
	model := openModel(t, "decoder")
	tokenizer := model.Tokenizer()
	text := strings.Repeat("the rain in spain ", 8)
	flat(t, 100000, func() {
		tokens, err := tokenizer.Encode(text, llm.AddSpecial)
		require(t, err)
		_, err = tokenizer.Decode(tokens, 0)
		require(t, err)
	})
}

func TestGenerationsDoNotLeak(t *testing.T) {
	model := openModel(t, "chain")
	session, sampler := newContext(t, model), newSampler(t)
	prompt := encode(t, model, "A")
	flat(t, 2000, func() {
		require(t, session.Remove(0))
		generation, err := session.Generate(sampler, prompt, llm.Stop("!", "?"), llm.Logprobs(3))
		require(t, err)
		_, err = generation.Text(context.Background())
		require(t, err)
	})
}

func TestErrorsDoNotLeak(t *testing.T) {
	flat(t, 20000, func() {
		if _, err := llm.NewSampler(llm.TopP(2)); err == nil {
			t.Fatal("no error")
		}
	})
}

// flat makes calls after which the process may have hardly more memory than after the first tenth of them.
func flat(t *testing.T, count int, call func()) {
	t.Helper()
	if testing.Short() {
		count /= 10
	}
	for range count / 10 {
		call()
	}
	before := residentBytes(t)
	for range count {
		call()
	}
	if grown := residentBytes(t) - before; grown > 8<<20 {
		t.Errorf("%d KiB more after %d calls", grown>>10, count)
	}
}
