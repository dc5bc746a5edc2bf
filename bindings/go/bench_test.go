// What calls cost: go test -bench . -run NONE

package llm_test

import (
	"context"
	"strings"
	"testing"

	"github.com/libllm/libllm/bindings/go"
)

func BenchmarkEncode(b *testing.B) {
	tokenizer := openModel(b, "decoder").Tokenizer()
	text := strings.Repeat("the rain in spain ", 64)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		_, err := tokenizer.Encode(text, 0)
		require(b, err)
	}
}

func BenchmarkSequenceLength(b *testing.B) {
	session := newContext(b, openModel(b, "decoder"))
	for b.Loop() {
		_, err := session.SequenceLength(0)
		require(b, err)
	}
}

func benchmarkNext(b *testing.B, ctx context.Context) {
	model := openModel(b, "decoder")
	session := newContext(b, model, llm.Threads(1))
	generation := endless(b, session, model)
	b.ReportAllocs()
	for b.Loop() {
		chunk, err := generation.Next(ctx)
		require(b, err)
		if chunk.Finish != llm.FinishNone {
			b.StopTimer()
			require(b, session.Remove(0))
			generation = endless(b, session, model)
			b.StartTimer()
		}
	}
}

func BenchmarkNext(b *testing.B) { benchmarkNext(b, context.Background()) }

func BenchmarkNextCancellable(b *testing.B) { benchmarkNext(b, b.Context()) }

func BenchmarkLogits(b *testing.B) {
	session := newContext(b, openModel(b, "decoder"))
	require(b, session.Eval(context.Background(), 0, []llm.Token{1}, llm.LogitsLast))
	for b.Loop() {
		_, err := session.Logits(-1)
		require(b, err)
	}
}
