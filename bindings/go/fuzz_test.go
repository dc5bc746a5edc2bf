// Texts of any bytes.

package llm_test

import (
	"strings"
	"testing"

	"github.com/libllm/libllm/bindings/go"
)

// FuzzRoundTrip turns texts into tokens and back; this vocabulary has a token for each byte.
func FuzzRoundTrip(f *testing.F) {
	for _, text := range []string{
		"", "Once upon a time", "a\x00b", "é😀\u200d", "\xff\xfe\xf0\x9f", "<|im_start|>user\n", "\r\n\t  ",
		strings.Repeat("the ", 500),
	} {
		f.Add(text)
	}
	model := openModel(f, "decoder")
	tokenizer := model.Tokenizer()
	f.Fuzz(func(t *testing.T, text string) {
		tokens, err := tokenizer.Encode(text, 0)
		require(t, err)
		back, err := tokenizer.Decode(tokens, llm.WriteSpecial)
		require(t, err)
		if back != text {
			t.Errorf("%q became %q", text, back)
		}
		var pieces strings.Builder
		for _, token := range tokens {
			piece, err := tokenizer.Piece(token, llm.WriteSpecial)
			require(t, err)
			pieces.WriteString(piece)
		}
		if pieces.String() != text {
			t.Errorf("the pieces of %q are %q", text, pieces.String())
		}
	})
}

// FuzzRestore restores states of any bytes; the sequence stays as it was.
func FuzzRestore(f *testing.F) {
	model := openModel(f, "decoder")
	session := newContext(f, model, llm.ContextLength(16))
	require(f, session.Eval(f.Context(), 0, []llm.Token{1, 2, 3}, llm.LogitsLast))
	state, err := session.SaveState(0)
	require(f, err)
	f.Add(state[:40])
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, bytes []byte) {
		if session.RestoreState(0, bytes) == nil {
			return
		}
		if length, err := session.SequenceLength(0); err != nil || length != 3 {
			t.Errorf("%d tokens, %v", length, err)
		}
	})
}
