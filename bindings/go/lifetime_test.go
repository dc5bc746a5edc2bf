// Objects that are closed, used by several goroutines, cancelled, or wrong.

package llm_test

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/libllm/libllm/bindings/go"
)

// endless starts a generation that takes a while.
func endless(t testing.TB, session *llm.Context, model *llm.Model) *llm.Generation {
	t.Helper()
	sampler := newSampler(t, llm.Temperature(1), llm.Seed(1), llm.LogitBias(model.Tokenizer().Special(llm.EndToken), -1e9))
	generation, err := session.Generate(sampler, encode(t, model, "Once"))
	require(t, err)
	t.Cleanup(func() { generation.Close() })
	return generation
}

func TestUseAfterClose(t *testing.T) {
	model := openModel(t, "decoder")
	session, sampler := newContext(t, model), newSampler(t)
	batch, err := llm.NewBatch()
	require(t, err)
	generation := endless(t, session, model)
	template, tokenizer := model.ChatTemplate(), model.Tokenizer()
	for range 2 {
		for _, object := range []io.Closer{generation, batch, sampler, session, model} {
			require(t, object.Close())
		}
	}
	ctx := context.Background()
	calls := map[string]func() error{
		"model info":      func() error { _, err := model.Info(); return err },
		"support":         func() error { _, err := model.Support(); return err },
		"metadata":        func() error { _, err := model.Metadata("general.name"); return err },
		"keys":            func() error { _, err := model.MetadataKeys(); return err },
		"tensors":         func() error { _, err := model.Tensors(); return err },
		"new context":     func() error { _, err := model.NewContext(); return err },
		"estimate":        func() error { _, err := model.EstimateMemory(); return err },
		"encode":          func() error { _, err := tokenizer.Encode("a", 0); return err },
		"decode":          func() error { _, err := tokenizer.Decode([]llm.Token{1}, 0); return err },
		"piece":           func() error { _, err := tokenizer.Piece(1, 0); return err },
		"token":           func() error { _, err := tokenizer.Info(1); return err },
		"render":          func() error { _, err := template.Render(llm.Conversation{}); return err },
		"eval":            func() error { return session.Eval(ctx, 0, []llm.Token{1}, 0) },
		"eval batch":      func() error { return session.EvalBatch(ctx, batch) },
		"logits":          func() error { _, err := session.Logits(0); return err },
		"logprobs":        func() error { _, err := session.Logprobs(0, 1); return err },
		"embed":           func() error { _, err := session.Embed(ctx, []llm.Token{1}, 0, true); return err },
		"length":          func() error { _, err := session.SequenceLength(0); return err },
		"save":            func() error { _, err := session.SaveState(0); return err },
		"counters":        func() error { _, err := session.Counters(); return err },
		"generate":        func() error { _, err := session.Generate(sampler, nil); return err },
		"batch add":       func() error { _, err := batch.Add(0, nil, 0); return err },
		"clone":           func() error { _, err := sampler.Clone(); return err },
		"seed":            func() error { _, err := sampler.Seed(); return err },
		"sample":          func() error { _, err := sampler.Sample(session, 0); return err },
		"sampler of":      func() error { _, err := llm.NewSampler(llm.FromModel(model)); return err },
		"next":            func() error { _, err := generation.Next(ctx); return err },
		"text":            func() error { _, err := generation.Text(ctx); return err },
		"template source": func() error { _, err := model.ChatTemplateSource("default"); return err },
	}
	for name, call := range calls {
		if err := call(); !errors.Is(err, llm.ErrClosed) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if token := tokenizer.Special(llm.EndToken); token != llm.TokenNone {
		t.Errorf("token %d of a closed model", token)
	}
	session.Cancel() // does nothing
}

func TestParentsMayBeClosedFirst(t *testing.T) {
	model := openModel(t, "chain")
	session, sampler := newContext(t, model), newSampler(t)
	generation, err := session.Generate(sampler, encode(t, model, "A"))
	require(t, err)
	for _, object := range []io.Closer{model, session, sampler} {
		require(t, object.Close())
	}
	text, err := generation.Text(context.Background())
	require(t, err)
	if text != " box:😀!" {
		t.Errorf("%q", text)
	}
}

func TestNilAndZero(t *testing.T) {
	model := openModel(t, "decoder")
	session, sampler := newContext(t, model), newSampler(t)
	_, generateErr := session.Generate(nil, []llm.Token{1})
	_, sampleErr := sampler.Sample(nil, 0)
	_, modelErr := llm.NewSampler(llm.FromModel(nil))
	_, fileErr := llm.OpenFile(nil, 0, 0)
	var none context.Context
	_, embedErr := session.Embed(none, []llm.Token{1}, 0, false)
	_, zeroErr := new(llm.Model).Info()
	_, zeroContextErr := new(llm.Context).Counters()
	for i, err := range []error{
		generateErr, sampleErr, modelErr, fileErr, zeroErr, zeroContextErr, session.EvalBatch(context.Background(), nil),
		embedErr, session.Eval(none, 0, []llm.Token{1}, llm.LogitsLast),
	} {
		if !errors.Is(err, llm.ErrArgument) {
			t.Errorf("%d: %v", i, err)
		}
	}
	require(t, (*llm.Model)(nil).Close())
	require(t, (*llm.Context)(nil).Close())
	require(t, (*llm.Sampler)(nil).Close())
	require(t, (*llm.Batch)(nil).Close())
	require(t, (*llm.Generation)(nil).Close())
	require(t, new(llm.Context).Close())
	new(llm.Context).Cancel()
	if _, err := llm.NewSampler(nil, llm.TopK(3)); err != nil {
		t.Error(err)
	}
}

func TestNamesWithNUL(t *testing.T) {
	model := openModel(t, "decoder")
	session := newContext(t, model)
	_, openErr := llm.Open("a\x00b")
	_, keyErr := model.Metadata("general.name\x00")
	_, elementErr := model.MetadataElement("\x00", 0)
	_, sourceErr := model.ChatTemplateSource("default\x00")
	_, optionErr := llm.NewSampler(llm.SamplerSet("top_k", "4\x000"))
	_, nameErr := model.ChatTemplate(llm.TemplateName("default\x00")).Render(llm.Conversation{})
	for i, err := range []error{
		openErr, keyErr, elementErr, sourceErr, optionErr, nameErr, llm.SelectCPU("auto\x00"),
		session.SaveStateFile(0, "\x00"), session.RestoreStateFile(0, "\x00"),
		llm.CheckOption(llm.SamplerOptions, "top_k\x00", "1"),
	} {
		if !errors.Is(err, llm.ErrArgument) || !strings.Contains(err.Error(), "NUL") {
			t.Errorf("%d: %v", i, err)
		}
	}
}

func TestNumbersOutside(t *testing.T) {
	model := openModel(t, "decoder")
	session, sampler := newContext(t, model), newSampler(t)
	require(t, session.Eval(context.Background(), 0, []llm.Token{1, 2}, llm.LogitsLast))
	const far = 1 << 32 // 0 in 32 bits
	_, logitsErr := session.Logits(far)
	_, lengthErr := session.SequenceLength(far)
	_, sampleErr := sampler.Sample(session, far)
	_, generateErr := session.Generate(sampler, []llm.Token{1}, llm.Sequence(far))
	_, manyErr := session.Generate(sampler, []llm.Token{1}, llm.MaxTokens(-1))
	_, threadsErr := model.NewContext(llm.Threads(far))
	for i, err := range []error{
		logitsErr, lengthErr, sampleErr, generateErr, manyErr, threadsErr, session.Truncate(0, -1), session.Fork(0, far),
		session.SetThreads(far),
	} {
		if !errors.Is(err, llm.ErrArgument) {
			t.Errorf("%d: %v", i, err)
		}
	}
	list, err := session.Logprobs(-1, far)
	require(t, err)
	if len(list) != 302 {
		t.Errorf("%d tokens of the vocabulary", len(list))
	}
	if list, err := session.Logprobs(-1, -5); err != nil || len(list) != 0 {
		t.Error(list, err)
	}
}

// Of two goroutines that use a context at the same time one is refused, whichever came second. A generation may have
// ended before the other goroutine came.
func TestBusy(t *testing.T) {
	model := openModel(t, "decoder")
	session := newContext(t, model)
	deadline := time.Now().Add(30 * time.Second)
	for refused := false; !refused; {
		if time.Now().After(deadline) {
			t.Fatal("nobody was refused")
		}
		generation := endless(t, session, model)
		finished := make(chan error, 1)
		go func() {
			_, err := generation.Text(context.Background())
			finished <- err
		}()
		for running := true; running; {
			select {
			case err := <-finished:
				running = false
				refused = refused || errors.Is(err, llm.ErrBusy)
				if err != nil && !errors.Is(err, llm.ErrBusy) && !errors.Is(err, llm.ErrCancelled) {
					t.Error(err)
				}
			default:
				if _, err := session.Counters(); errors.Is(err, llm.ErrBusy) {
					refused = true
					session.Cancel()
				}
			}
		}
		require(t, session.Remove(0))
	}
}

func TestContextCancels(t *testing.T) {
	model := openModel(t, "decoder")
	session := newContext(t, model)
	generation := endless(t, session, model)
	reason := errors.New("enough")
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	count := 0
	var last error
	for _, err := range generation.Chunks(ctx) {
		if last = err; err != nil {
			break
		}
		if count++; count == 5 {
			cancel(reason)
		}
	}
	for _, expected := range []error{llm.ErrCancelled, context.Canceled, reason} {
		if !errors.Is(last, expected) {
			t.Errorf("%v is no %v", last, expected)
		}
	}
	if count != 5 {
		t.Errorf("%d chunks", count)
	}
	if _, err := generation.Next(context.Background()); !errors.Is(err, llm.ErrClosed) {
		t.Errorf("after the loop: %v", err)
	}
	length, err := session.SequenceLength(0)
	require(t, err)
	if length == 0 {
		t.Error("the sequence lost what was evaluated")
	}
}

// Contexts that end at any time stop only the calls that they were given to.
func TestLateCancelsHitNobodyElse(t *testing.T) {
	model := openModel(t, "decoder")
	session := newContext(t, model)
	deadline := time.Now().Add(2 * time.Second)
	stopped, late := 0, 0
	for i := 0; time.Now().Before(deadline); i++ {
		ctx, cancel := context.WithTimeout(context.Background(), time.Duration(i%40)*10*time.Microsecond)
		err := session.Eval(ctx, 0, []llm.Token{1, 2, 3}, llm.LogitsLast)
		if errors.Is(err, context.DeadlineExceeded) {
			stopped++
		} else {
			require(t, err)
		}
		<-ctx.Done()
		cancel()
		if err := session.Eval(context.Background(), 0, []llm.Token{4}, llm.LogitsLast); err != nil {
			t.Fatalf("call %d, to which no context was given: %v", i, err)
		}
		late++
		require(t, session.Remove(0))
	}
	if stopped == 0 || stopped == late {
		t.Logf("%d of %d calls stopped", stopped, late)
	}
}

func TestCancelBeforeTheCall(t *testing.T) {
	session := newContext(t, openModel(t, "decoder"))
	session.Cancel()
	if err := session.Eval(context.Background(), 0, []llm.Token{1}, 0); !errors.Is(err, llm.ErrCancelled) {
		t.Errorf("%v", err)
	}
	require(t, session.Eval(context.Background(), 0, []llm.Token{1}, 0))
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := session.Eval(ctx, 0, []llm.Token{1}, 0); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	require(t, session.Eval(context.Background(), 0, []llm.Token{1}, 0))
}

func TestBreakingOutCloses(t *testing.T) {
	model := openModel(t, "decoder")
	generation := endless(t, newContext(t, model), model)
	for _, err := range generation.Chunks(context.Background()) {
		require(t, err)
		break
	}
	if _, err := generation.Next(context.Background()); !errors.Is(err, llm.ErrClosed) {
		t.Errorf("%v", err)
	}
}

// Other goroutines close what is in use: the call goes on to its end, or there is an error.
func TestCloseDuringUse(t *testing.T) {
	path := modelPath("decoder")
	for range 50 {
		model, err := llm.Open(path)
		require(t, err)
		session, err := model.NewContext()
		require(t, err)
		sampler := newSampler(t)
		generation, err := session.Generate(sampler, encode(t, model, "Once"))
		require(t, err)
		var group sync.WaitGroup
		for _, object := range []io.Closer{model, session, sampler, generation} {
			group.Add(1)
			go func() {
				defer group.Done()
				time.Sleep(100 * time.Microsecond)
				object.Close()
			}()
		}
		for {
			_, err := generation.Next(context.Background())
			if errors.Is(err, llm.ErrClosed) || err == io.EOF {
				break
			}
			require(t, err)
			if _, err := model.Info(); err != nil && !errors.Is(err, llm.ErrClosed) {
				t.Error(err)
			}
			if _, err := session.Logits(-1); err != nil && !errors.Is(err, llm.ErrClosed) {
				t.Error(err)
			}
		}
		group.Wait()
	}
}

// What nobody closes is released all the same.
func TestCleanup(t *testing.T) {
	path := modelPath("decoder")
	use := func() {
		model, err := llm.Open(path)
		require(t, err)
		session, err := model.NewContext()
		require(t, err)
		require(t, session.Eval(context.Background(), 0, []llm.Token{1}, llm.LogitsLast))
	}
	use()
	before := residentBytes(t)
	for range 300 {
		use()
		runtime.GC()
	}
	time.Sleep(50 * time.Millisecond)
	if grown := residentBytes(t) - before; grown > 100<<20 {
		t.Errorf("%d MiB more after 300 models that were not closed", grown>>20)
	}
}

func TestOpenFile(t *testing.T) {
	path := modelPath("chain")
	content, err := os.ReadFile(path)
	require(t, err)
	bundle := filepath.Join(t.TempDir(), "bundle")
	require(t, os.WriteFile(bundle, append([]byte("before--"), append(content, "behind"...)...), 0o644))
	file, err := os.Open(bundle)
	require(t, err)
	model, err := llm.OpenFile(file, 8, int64(len(content)))
	require(t, err)
	require(t, file.Close())
	defer model.Close()
	info, err := model.Info()
	require(t, err)
	if info.Name != "conformance chain" {
		t.Error(info.Name)
	}
	if _, err := llm.OpenFile(file, 0, 0); err == nil {
		t.Error("a closed file was opened")
	}
	if _, err := llm.OpenBytes(content, llm.Mapped()); !errors.Is(err, llm.ErrArgument) {
		t.Errorf("mapped bytes: %v", err)
	}
	if _, err := llm.OpenBytes(nil); !errors.Is(err, llm.ErrArgument) && !errors.Is(err, llm.ErrTruncated) {
		t.Errorf("no bytes: %v", err)
	}
}
