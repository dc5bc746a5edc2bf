// Runs the cases that all languages run; bindings/conformance/README.md describes them.

package llm_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/libllm/libllm/bindings/go"
)

// decode reads JSON with numbers as they are written, because only those with a fraction may differ a little.
func decode(t *testing.T, text []byte, out any) {
	t.Helper()
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	require(t, decoder.Decode(out))
}

// agrees is whether what was expected is there: objects may have more members.
func agrees(expected, found any, tolerance float64) bool {
	switch e := expected.(type) {
	case map[string]any:
		f, ok := found.(map[string]any)
		for name, value := range e {
			ok = ok && agrees(value, f[name], tolerance)
		}
		return ok
	case []any:
		f, ok := found.([]any)
		if !ok || len(f) != len(e) {
			return false
		}
		for i := range e {
			ok = ok && agrees(e[i], f[i], tolerance)
		}
		return ok
	case json.Number:
		f, ok := found.(json.Number)
		if !strings.ContainsAny(e.String(), ".eE") {
			return ok && e == f
		}
		a, _ := e.Float64()
		b, err := f.Float64()
		return err == nil && math.Abs(a-b) <= tolerance
	}
	return expected == found
}

// result runs a case; an error of the library is a result, too.
func result(t *testing.T, c *testCase) map[string]any {
	kind, known := kinds[c.Kind]
	if !known {
		t.Fatalf("unknown kind %q", c.Kind)
	}
	made, err := kind(t, c)
	var failure *llm.Error
	if errors.As(err, &failure) {
		return map[string]any{"error": failure.Status.Error()}
	}
	require(t, err)
	return made
}

func hasChatTemplates(t *testing.T) bool {
	info, err := llm.SystemInfo()
	require(t, err)
	var facts struct {
		Templates bool `json:"chat_templates"`
	}
	require(t, json.Unmarshal([]byte(info), &facts))
	return facts.Templates
}

func TestConformance(t *testing.T) {
	path := os.Getenv("LLM_CONFORMANCE_CASES")
	if path == "" {
		path = "../conformance/cases.json"
	}
	text, err := os.ReadFile(path)
	require(t, err)
	var file struct{ Cases []*testCase }
	decode(t, text, &file)
	withChat := hasChatTemplates(t)
	results := map[string]any{}
	for _, c := range file.Cases {
		if !withChat && strings.HasPrefix(c.Kind, "chat_") {
			continue
		}
		t.Run(c.Name, func(t *testing.T) {
			made, err := json.Marshal(result(t, c))
			require(t, err)
			var found any
			decode(t, made, &found)
			results[c.Name] = found
			if c.Expect != nil && !agrees(c.Expect, found, c.tolerance()) {
				expected, _ := json.Marshal(c.Expect)
				t.Errorf("expected %s\nfound    %s", expected, made)
			}
		})
	}
	if len(results) < 100 {
		t.Errorf("only %d cases", len(results))
	}
	if path := os.Getenv("LLM_CONFORMANCE_RESULTS"); path != "" && !t.Failed() {
		made, err := json.Marshal(map[string]any{"language": "go", "results": results})
		require(t, err)
		require(t, os.WriteFile(path, made, 0o644))
	}
}
