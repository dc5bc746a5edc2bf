// What the conformance cases do not reach: conversations as Go values, options as functions, facts.

package llm_test

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
	"unsafe"

	"github.com/libllm/libllm/bindings/go"
)

func render(t *testing.T, model *llm.Model, conversation llm.Conversation, list ...llm.ChatOption) string {
	t.Helper()
	text, err := model.ChatTemplate(list...).Render(conversation)
	if errors.Is(err, llm.ErrNotBuilt) {
		t.Skip("SKIPPED: this library was built without chat templates")
	}
	require(t, err)
	return text
}

func TestConversation(t *testing.T) {
	model := openModel(t, "decoder")
	call := map[string]any{"function": map[string]any{"name": "time"}}
	text := render(t, model, llm.Conversation{
		Messages: []llm.Message{
			{Role: "user", Content: "What <|im_end|> time?\xff"},
			{Role: "assistant", Extra: map[string]any{"tool_calls": []any{call}}},
		},
		Tools:    []any{json.RawMessage(`{"name": "time"}`)},
		Complete: true,
	})
	expected := "<|im_start|>system\nYou may call these functions:\n{\"name\": \"time\"}\n<|im_end|>\n" +
		"<|im_start|>user\nWhat <|im_end|> time?\ufffd<|im_end|>\n" +
		"<|im_start|>assistant\n<tool_call>{\"name\": \"time\"}</tool_call><|im_end|>\n"
	if text != expected {
		t.Errorf("%q", text)
	}
}

func TestChatOptions(t *testing.T) {
	model := openModel(t, "decoder")
	template := llm.TemplateText("{{ mood }} {{ documents[0] }} {{ messages | length }} {{ strftime_now('%H:%M') }}")
	text := render(t, model, llm.Conversation{
		Documents: []any{"d"}, Variables: map[string]any{"mood": "good"},
	}, template, llm.Now(time.Date(2024, 12, 24, 17, 30, 0, 0, time.FixedZone("", 3600))))
	if text != "good d 0 17:30" {
		t.Errorf("%q", text)
	}
	forged := llm.Conversation{Messages: []llm.Message{{Role: "user", Content: "<|im_end|>"}}, Complete: true}
	count := func(list ...llm.ChatOption) int {
		tokens, err := model.ChatTemplate(list...).Tokenize(forged)
		require(t, err)
		ends := 0
		for _, token := range tokens {
			if token == 301 {
				ends++
			}
		}
		return ends
	}
	if guarded, open := count(), count(llm.Unguarded()); guarded != 1 || open != 2 {
		t.Errorf("%d and %d ends of turns", guarded, open)
	}
	_, err := model.ChatTemplate().Render(llm.Conversation{Variables: map[string]any{"f": func() {}}})
	var notJSON *json.MarshalerError
	if !errors.As(err, &notJSON) {
		t.Errorf("a function as a variable: %v", err)
	}
	names, err := model.ChatTemplateNames()
	require(t, err)
	for _, name := range []string{"default", "refusing", "dated"} {
		if !slices.Contains(names, name) {
			t.Errorf("%q is not among the templates %q", name, names)
		}
	}
}

// Each function of this package that makes an option sets one that the library has.
func TestOptionFunctions(t *testing.T) {
	model := openModel(t, "decoder")
	opened, err := llm.Open(modelPath("decoder"), llm.LoadThreads(1), llm.MaxMemory(1<<30), llm.Verify(), llm.Mapped(),
		llm.PreTokenizer("gpt-2"))
	require(t, err)
	require(t, opened.Close())
	session, err := model.NewContext(llm.ContextLength(64), llm.BatchSize(16), llm.Threads(1), llm.MaxSequences(3),
		llm.CacheTypes("f32", "q8_0"), llm.FullWindowCache(), llm.MaxContextMemory(1<<30))
	require(t, err)
	defer session.Close()
	info, err := session.Info()
	require(t, err)
	if info.ContextLength != 64 || info.BatchSize != 16 || info.Threads != 1 || info.MaxSequences != 3 ||
		info.VocabularySize != 302 {
		t.Errorf("%+v", info)
	}
	sampler, err := llm.NewSampler(llm.Temperature(0.5), llm.TopK(3), llm.TopP(0.9), llm.MinP(0.01), llm.Seed(7),
		llm.RepeatPenalty(1.1, -1), llm.FrequencyPenalty(0.1), llm.PresencePenalty(-0.1), llm.DryBreakers("\n", "\x00"),
		llm.LogitBias(3, float32(math.Inf(-1))), llm.FromModel(model))
	require(t, err)
	defer sampler.Close()
	if seed, err := sampler.Seed(); err != nil || seed != 7 {
		t.Errorf("seed %d, %v", seed, err)
	}
	generation, err := session.Generate(sampler, []llm.Token{1}, llm.Sequence(2), llm.MaxTokens(3), llm.Logprobs(2),
		llm.ReusePrefix(), llm.Stop("xyz"))
	require(t, err)
	for chunk, err := range generation.Chunks(context.Background()) {
		require(t, err)
		if len(chunk.Top) != 2 || chunk.Top[0].Logprob < chunk.Top[1].Logprob || chunk.Logprob > chunk.Top[0].Logprob {
			t.Errorf("%+v", chunk)
		}
	}
	if length, err := session.SequenceLength(2); err != nil || length != 3 {
		t.Errorf("length %d, %v", length, err)
	}
	for _, group := range []llm.OptionGroup{0, 1, 2, 3, 4} {
		if len(llm.Options(group)) == 0 {
			t.Errorf("group %d has no options", group)
		}
	}
	if unknown := llm.Options(99); len(unknown) != 0 {
		t.Errorf("%v", unknown)
	}
}

func TestWrongOptions(t *testing.T) {
	for name, expected := range map[string]error{"none_such": llm.ErrNotFound, "top_k": llm.ErrArgument} {
		if _, err := llm.NewSampler(llm.SamplerSet(name, "many")); !errors.Is(err, expected) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, option := range []llm.SamplerOption{
		llm.Temperature(float32(math.NaN())), llm.TopP(-1), llm.TopK(-1), llm.TopK(1 << 40),
	} {
		if _, err := llm.NewSampler(option); !errors.Is(err, llm.ErrArgument) {
			t.Error(err)
		}
	}
}

func TestFacts(t *testing.T) {
	model := openModel(t, "decoder")
	keys, err := model.MetadataKeys()
	require(t, err)
	if !slices.Contains(keys, "conformance.numbers") {
		t.Errorf("%q", keys)
	}
	array, err := model.Metadata("conformance.numbers")
	require(t, err)
	if !reflect.DeepEqual(array, llm.ArrayInfo{ElementType: llm.Int32, Count: 3}) {
		t.Errorf("%+v", array)
	}
	if _, err := model.MetadataElement("conformance.numbers", 3); !errors.Is(err, llm.ErrNotFound) {
		t.Error(err)
	}
	if _, err := model.MetadataElement("conformance.small", 0); !errors.Is(err, llm.ErrArgument) {
		t.Error(err)
	}
	tensors, err := model.Tensors()
	require(t, err)
	output := slices.IndexFunc(tensors, func(tensor llm.Tensor) bool { return tensor.Name == "output.weight" })
	if output < 0 || !slices.Equal(tensors[output].Shape, []uint64{256, 302}) || tensors[output].Type != "F32" ||
		tensors[output].Bytes != 4*256*302 {
		t.Errorf("%+v", tensors)
	}
	token, err := model.Tokenizer().Info(301)
	require(t, err)
	if token.Text != "<|im_end|>" || token.Attributes&llm.TokenControl == 0 ||
		token.Attributes&llm.TokenEndsGeneration == 0 {
		t.Errorf("%+v", token)
	}
	support, err := model.Support()
	require(t, err)
	var facts struct{ Runnable bool }
	require(t, json.Unmarshal([]byte(support), &facts))
	if !facts.Runnable || llm.Version() == "" {
		t.Errorf("%s, version %q", support, llm.Version())
	}
}

func TestEstimateIsRight(t *testing.T) {
	described, err := llm.Open(modelPath("decoder"), llm.MetadataOnly())
	require(t, err)
	defer described.Close()
	estimate, err := described.EstimateMemory(llm.ContextLength(128))
	require(t, err)
	model := openModel(t, "decoder")
	info, err := model.Info()
	require(t, err)
	session, err := newContext(t, model, llm.ContextLength(128)).Info()
	require(t, err)
	if estimate.Weights != info.WeightBytes || estimate.Cache != session.CacheBytes ||
		estimate.Scratch != session.ScratchBytes || estimate.ContextLength != 128 {
		t.Errorf("%+v, but %d, %+v", estimate, info.WeightBytes, session)
	}
	if _, err := described.NewContext(); !errors.Is(err, llm.ErrState) {
		t.Errorf("a context without weights: %v", err)
	}
}

func TestThreadsChangeNothing(t *testing.T) {
	model := openModel(t, "decoder")
	session := newContext(t, model)
	var rows [2][]float32
	for i := range rows {
		require(t, session.SetThreads(i+1))
		require(t, session.Remove(0))
		require(t, session.Eval(context.Background(), 0, []llm.Token{297, 1, 2, 3}, llm.LogitsLast))
		row, err := session.Logits(-1)
		require(t, err)
		rows[i] = row
	}
	if !slices.Equal(rows[0], rows[1]) {
		t.Error("the logits depend on the number of threads")
	}
	require(t, session.ResetCounters())
	if counters, err := session.Counters(); err != nil || counters.PromptTokens != 0 {
		t.Errorf("%+v, %v", counters, err)
	}
}

// Texts of more than 2 GiB are refused before they are looked at, so that this one takes no memory.
func TestHugeText(t *testing.T) {
	if testing.Short() {
		t.Skip("the race detector looks at the text")
	}
	model := openModel(t, "decoder")
	data := make([]byte, 1<<31)
	if _, err := model.Tokenizer().Encode(unsafe.String(&data[0], len(data)), 0); !errors.Is(err, llm.ErrLimit) {
		t.Errorf("text: %v", err)
	}
	if _, err := model.ChatTemplate().RenderJSON(data); !errors.Is(err, llm.ErrLimit) && !errors.Is(err, llm.ErrNotBuilt) {
		t.Errorf("request: %v", err)
	}
	if _, err := llm.OpenBytes(data); !errors.Is(err, llm.ErrNotGGUF) {
		t.Errorf("model: %v", err)
	}
	if err := newContext(t, model).RestoreState(0, data); err == nil {
		t.Error("state: no error")
	}
}

func TestEmptySpans(t *testing.T) {
	model := openModel(t, "decoder")
	session, sampler := newContext(t, model), newSampler(t)
	for _, tokens := range [][]llm.Token{nil, {}} {
		require(t, session.Eval(context.Background(), 0, tokens, llm.LogitsLast))
		require(t, sampler.Accept(tokens))
		if text, err := model.Tokenizer().Decode(tokens, 0); err != nil || text != "" {
			t.Errorf("%q, %v", text, err)
		}
		if _, err := session.Generate(sampler, tokens); !errors.Is(err, llm.ErrState) {
			t.Errorf("%v", err)
		}
	}
	if tokens, err := model.Tokenizer().Encode("", 0); err != nil || len(tokens) != 0 {
		t.Errorf("%v, %v", tokens, err)
	}
	if err := session.RestoreState(0, nil); err == nil || !strings.HasPrefix(err.Error(), "llm: ") {
		t.Errorf("%v", err)
	}
}
