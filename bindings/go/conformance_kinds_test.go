// What each kind of conformance case does.

package llm_test

import (
	"context"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/libllm/libllm/bindings/go"
)

type named = map[string]string

// testCase has the members of all kinds.
type testCase struct {
	Name, Kind, Model string
	Expect            any
	Tolerance         *float64

	Text, Bytes, Prompt, Next, First, Second string
	Key, Group, Option, Value                string
	Damage, Pooling, Request                 string
	Template                                 *string
	File                                     any // a name, or whether there is one

	AddSpecial                 bool `json:"add_special"`
	ParseSpecial               bool `json:"parse_special"`
	WithContext                bool `json:"with_context"`
	Special, Normalize, Memory bool

	Tokens        []llm.Token
	Token         llm.Token
	Columns       []int
	Calls         [][]llm.Token
	Stops         []string
	Entries       []batchEntry
	Length, Count int
	After         *int
	Now           *int64

	Context, Into, Sampler, Generation, Chat, Options named
}

type batchEntry struct {
	Sequence int
	Tokens   []llm.Token
	Logits   string
}

func (c *testCase) tolerance() float64 {
	if c.Tolerance != nil {
		return *c.Tolerance
	}
	return 1e-4
}

type object = map[string]any

var kinds = map[string]func(*testing.T, *testCase) (map[string]any, error){
	"tokenize": tokenizeCase, "detokenize": detokenizeCase, "piece": pieceCase, "special_tokens": specialCase,
	"info": infoCase, "metadata": metadataCase, "option": optionCase, "open": openCase,
	"chat_render": chatRenderCase, "chat_tokenize": chatTokenizeCase, "chat_template": chatTemplateCase,
	"generate": generateCase, "cancel": generateCase, "fork": forkCase, "rewind": rewindCase, "reuse": reuseCase,
	"state": stateCase, "logits": logitsCase, "eval": evalCase, "batch": batchCase, "sample": sampleCase,
	"embed": embedCase,
}

// settings makes options of what a case names.
func settings[Option any](set func(name, value string) Option, list ...named) []Option {
	var made []Option
	for _, options := range list {
		for name, value := range options {
			made = append(made, set(name, value))
		}
	}
	return made
}

// contextWith makes a context; caches are exact where the case does not say otherwise.
func contextWith(t *testing.T, model *llm.Model, options named, more ...llm.ContextOption) (*llm.Context, error) {
	exact := named{"cache_type_k": "f32", "cache_type_v": "f32"}
	made, err := model.NewContext(append(settings(llm.ContextSet, exact, options), more...)...)
	if err == nil {
		t.Cleanup(func() { made.Close() })
	}
	return made, err
}

func samplerWith(t *testing.T, options named) (*llm.Sampler, error) {
	made, err := llm.NewSampler(settings(llm.SamplerSet, named{"temperature": "0"}, options)...)
	if err == nil {
		t.Cleanup(func() { made.Close() })
	}
	return made, err
}

func tokenizeCase(t *testing.T, c *testCase) (object, error) {
	text := c.Text
	if c.Bytes != "" {
		bytes, err := hex.DecodeString(c.Bytes)
		require(t, err)
		text = string(bytes)
	}
	var flags llm.EncodeFlags
	if c.AddSpecial {
		flags |= llm.AddSpecial
	}
	if c.ParseSpecial {
		flags |= llm.ParseSpecial
	}
	tokens, err := openModel(t, c.Model).Tokenizer().Encode(text, flags)
	return object{"tokens": tokens}, err
}

func (c *testCase) decodeFlags() llm.DecodeFlags {
	if c.Special {
		return llm.WriteSpecial
	}
	return 0
}

func detokenizeCase(t *testing.T, c *testCase) (object, error) {
	text, err := openModel(t, c.Model).Tokenizer().Decode(c.Tokens, c.decodeFlags())
	return object{"bytes": hex.EncodeToString([]byte(text))}, err
}

func pieceCase(t *testing.T, c *testCase) (object, error) {
	text, err := openModel(t, c.Model).Tokenizer().Piece(c.Token, c.decodeFlags())
	return object{"bytes": hex.EncodeToString([]byte(text))}, err
}

func specialCase(t *testing.T, c *testCase) (object, error) {
	tokenizer := openModel(t, c.Model).Tokenizer()
	return object{
		"begin": tokenizer.Special(llm.BeginToken), "end": tokenizer.Special(llm.EndToken),
		"end_of_turn": tokenizer.Special(llm.EndOfTurnToken), "unknown": tokenizer.Special(llm.UnknownToken),
		"padding": tokenizer.Special(llm.PaddingToken), "separator": tokenizer.Special(llm.SeparatorToken),
	}, nil
}

func infoCase(t *testing.T, c *testCase) (object, error) {
	info, err := openModel(t, c.Model).Info()
	return object{
		"architecture": info.Architecture, "name": info.Name, "vocabulary_size": info.VocabularySize,
		"context_length": info.ContextLength, "embedding_length": info.EmbeddingLength,
		"layer_count": info.Layers, "parameter_count": info.Parameters, "generates": info.Generates,
		"embeds": info.Embeds,
	}, err
}

// plainValue is a metadata value as the cases write it: integers past 2^53 as text, bools as numbers.
func plainValue(value any) any {
	const limit = 1 << 53
	switch v := value.(type) {
	case uint64:
		if v > limit {
			return strconv.FormatUint(v, 10)
		}
	case int64:
		if v > limit || v < -limit {
			return strconv.FormatInt(v, 10)
		}
	case bool:
		if v {
			return 1
		}
		return 0
	}
	return value
}

func metadataCase(t *testing.T, c *testCase) (object, error) {
	model := openModel(t, c.Model)
	value, err := model.Metadata(c.Key)
	if errors.Is(err, llm.ErrNotFound) {
		return object{"value": nil}, nil
	}
	array, isArray := value.(llm.ArrayInfo)
	if err != nil || !isArray {
		return object{"value": plainValue(value)}, err
	}
	elements := []any{}
	for i := range array.Count {
		element, err := model.MetadataElement(c.Key, i)
		require(t, err)
		elements = append(elements, plainValue(element))
	}
	return object{"value": elements}, nil
}

func optionCase(_ *testing.T, c *testCase) (object, error) {
	groups := map[string]llm.OptionGroup{
		"model": llm.ModelOptions, "context": llm.ContextOptions, "sampler": llm.SamplerOptions,
		"generation": llm.GenerationOptions, "chat": llm.ChatOptions,
	}
	return object{"set": true}, llm.CheckOption(groups[c.Group], c.Option, c.Value)
}

func openCase(t *testing.T, c *testCase) (object, error) {
	list := settings(llm.ModelSet, c.Options)
	var model *llm.Model
	var err error
	name, isFile := c.File.(string)
	if isFile && !c.Memory {
		model, err = llm.Open(filepath.Join(modelFolder(), name), list...)
	} else {
		var data []byte
		if c.Memory {
			data, err = os.ReadFile(filepath.Join(modelFolder(), name))
		} else {
			data, err = hex.DecodeString(c.Bytes)
		}
		require(t, err)
		model, err = llm.OpenBytes(data, list...)
	}
	if err != nil {
		return nil, err
	}
	defer model.Close()
	if c.WithContext {
		if _, err := contextWith(t, model, c.Context); err != nil {
			return nil, err
		}
	}
	info, err := model.Info()
	return object{"name": info.Name}, err
}

func (c *testCase) chatTemplate(t *testing.T) *llm.ChatTemplate {
	var list []llm.ChatOption
	if c.Now != nil {
		list = append(list, llm.Now(time.Unix(*c.Now, 0).UTC()))
	}
	if c.Template != nil && *c.Template != "" {
		list = append(list, llm.TemplateName(*c.Template))
	}
	return openModel(t, c.Model).ChatTemplate(append(list, settings(llm.ChatSet, c.Chat)...)...)
}

func chatRenderCase(t *testing.T, c *testCase) (object, error) {
	text, err := c.chatTemplate(t).RenderJSON([]byte(c.Request))
	return object{"text": text}, err
}

func chatTokenizeCase(t *testing.T, c *testCase) (object, error) {
	tokens, err := c.chatTemplate(t).TokenizeJSON([]byte(c.Request))
	return object{"tokens": tokens}, err
}

func chatTemplateCase(t *testing.T, c *testCase) (object, error) {
	name := "default"
	if c.Template != nil {
		name = *c.Template
	}
	text, err := openModel(t, c.Model).ChatTemplateSource(name)
	return object{"text": text}, err
}

func logitsCase(t *testing.T, c *testCase) (object, error) {
	session, err := contextWith(t, openModel(t, c.Model), c.Context)
	if err != nil {
		return nil, err
	}
	if err := session.Eval(context.Background(), 0, c.Tokens, llm.LogitsAll); err != nil {
		return nil, err
	}
	rows := [][]float32{}
	for row := range c.Tokens {
		logits, err := session.Logits(row)
		require(t, err)
		chosen := []float32{}
		for _, column := range c.Columns {
			chosen = append(chosen, logits[column])
		}
		rows = append(rows, chosen)
	}
	return object{"rows": rows}, nil
}

func evalCase(t *testing.T, c *testCase) (object, error) {
	session, err := contextWith(t, openModel(t, c.Model), c.Context)
	if err != nil {
		return nil, err
	}
	for _, call := range c.Calls {
		if err := session.Eval(context.Background(), 0, call, llm.LogitsLast); err != nil {
			return nil, err
		}
	}
	counters, err := session.Counters()
	require(t, err)
	length, err := session.SequenceLength(0)
	return object{
		"length": length, "prompt_tokens": counters.PromptTokens, "single_tokens": counters.SingleTokens,
	}, err
}

func batchCase(t *testing.T, c *testCase) (object, error) {
	session, err := contextWith(t, openModel(t, c.Model), c.Context)
	if err != nil {
		return nil, err
	}
	batch, err := llm.NewBatch()
	require(t, err)
	defer batch.Close()
	wanted := map[string]llm.EvalLogits{"last": llm.LogitsLast, "all": llm.LogitsAll, "none": llm.LogitsNone}
	firstRows, rows := []int{}, 0
	for _, entry := range c.Entries {
		row, err := batch.Add(entry.Sequence, entry.Tokens, wanted[entry.Logits])
		if err != nil {
			return nil, err
		}
		firstRows = append(firstRows, row)
		rows += map[string]int{"last": 1, "all": len(entry.Tokens), "none": 0}[entry.Logits]
	}
	if err := session.EvalBatch(context.Background(), batch); err != nil {
		return nil, err
	}
	best, lengths := []int{}, []int{}
	for row := range rows {
		logits, err := session.Logits(row)
		require(t, err)
		best = append(best, slices.Index(logits, slices.Max(logits)))
	}
	for sequence := range 3 {
		length, err := session.SequenceLength(sequence)
		require(t, err)
		lengths = append(lengths, length)
	}
	return object{"first_rows": firstRows, "best": best, "lengths": lengths}, nil
}

func sampleCase(t *testing.T, c *testCase) (object, error) {
	session, err := contextWith(t, openModel(t, c.Model), c.Context)
	if err != nil {
		return nil, err
	}
	if err := session.Eval(context.Background(), 0, c.Tokens, llm.LogitsLast); err != nil {
		return nil, err
	}
	sampler, err := samplerWith(t, c.Sampler)
	if err != nil {
		return nil, err
	}
	draw := func(from *llm.Sampler, count int) []llm.Token {
		tokens := []llm.Token{}
		for range count {
			token, err := from.Sample(session, -1)
			require(t, err)
			tokens = append(tokens, token)
		}
		return tokens
	}
	half := c.Count / 2
	tokens := draw(sampler, half)
	clone, err := sampler.Clone()
	require(t, err)
	defer clone.Close()
	tokens = append(tokens, draw(sampler, c.Count-half)...)
	cloned := draw(clone, c.Count-half)
	require(t, sampler.Reset())
	return object{"tokens": tokens, "clone": cloned, "again": draw(sampler, c.Count)}, nil
}

func embedCase(t *testing.T, c *testCase) (object, error) {
	model := openModel(t, c.Model)
	session, err := contextWith(t, model, c.Context)
	if err != nil {
		return nil, err
	}
	tokens := c.Tokens
	if tokens == nil {
		tokens = encode(t, model, c.Text)
	}
	poolings := map[string]llm.Pooling{
		"default": llm.PoolingDefault, "mean": llm.PoolingMean, "first": llm.PoolingFirst,
		"last": llm.PoolingLast, "none": llm.PoolingNone,
	}
	embedding, err := session.Embed(context.Background(), tokens, poolings[c.Pooling], c.Normalize)
	return object{"embedding": embedding}, err
}
