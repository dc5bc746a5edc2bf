// The models that tests use, and what several tests need.

package llm_test

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/libllm/libllm/bindings/go"
)

// modelFolder is where the build wrote the models of the conformance cases, "decoder", "chain" and "encoder"; "" when
// there are none.
func modelFolder() string {
	if folder := os.Getenv("LLM_CONFORMANCE_MODELS"); folder != "" {
		return folder
	}
	found, _ := filepath.Glob("../../build*/*/bindings/conformance/decoder.gguf")
	if len(found) == 0 {
		return ""
	}
	return filepath.Dir(found[0])
}

func modelPath(name string) string { return filepath.Join(modelFolder(), name+".gguf") }

func TestMain(m *testing.M) {
	if modelFolder() == "" {
		fmt.Println("SKIPPED: LLM_CONFORMANCE_MODELS does not name the folder of the conformance models")
		if os.Getenv("CI") == "true" {
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

func openModel(t testing.TB, name string) *llm.Model {
	t.Helper()
	model, err := llm.Open(modelPath(name))
	require(t, err)
	t.Cleanup(func() { model.Close() })
	return model
}

func newContext(t testing.TB, model *llm.Model, list ...llm.ContextOption) *llm.Context {
	t.Helper()
	made, err := model.NewContext(list...)
	require(t, err)
	t.Cleanup(func() { made.Close() })
	return made
}

func newSampler(t testing.TB, list ...llm.SamplerOption) *llm.Sampler {
	t.Helper()
	made, err := llm.NewSampler(append([]llm.SamplerOption{llm.Temperature(0)}, list...)...)
	require(t, err)
	t.Cleanup(func() { made.Close() })
	return made
}

func encode(t testing.TB, model *llm.Model, text string) []llm.Token {
	t.Helper()
	tokens, err := model.Tokenizer().Encode(text, llm.AddSpecial)
	require(t, err)
	return tokens
}

func require(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// residentBytes is the memory that the process has, after the collector and cleanups had their time.
func residentBytes(t testing.TB) int64 {
	t.Helper()
	runtime.GC()
	runtime.GC()
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		t.Skip("SKIPPED: this system does not tell how much memory a process has")
	}
	pages, err := strconv.ParseInt(strings.Fields(string(text))[1], 10, 64)
	require(t, err)
	return pages * int64(os.Getpagesize())
}
