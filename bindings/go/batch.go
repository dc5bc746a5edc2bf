// Batches: tokens of several sequences for one evaluation.

package llm

import "github.com/libllm/libllm/bindings/go/internal/raw"

// A Batch holds tokens of several sequences that [Context.EvalBatch] evaluates together. It belongs to no context.
type Batch struct{ handle }

// NewBatch makes an empty batch.
func NewBatch() (*Batch, error) {
	var native uintptr
	if err := check(raw.LlmBatchNew(&native)); err != nil {
		return nil, err
	}
	b := &Batch{}
	b.adopt(native, raw.LlmBatchClose, false)
	return b, nil
}

// Close gives the batch back. It always returns nil.
func (b *Batch) Close() error {
	if b != nil {
		b.close()
	}
	return nil
}

// Add puts tokens at the end of the batch, to be appended to a sequence of the context that will evaluate it. It
// returns the number of the first row of logits that they will have, for [Context.Logits] and [Sampler.Sample].
func (b *Batch) Add(sequence int, tokens []Token, logits EvalLogits) (firstRow int, err error) {
	if err := b.enter(); err != nil {
		return 0, err
	}
	defer b.leave()
	var row uint64
	err = check(raw.LlmBatchAdd(&row, b.native, number(sequence), tokens, uint32(logits)))
	return int(row), err
}

// Clear empties the batch.
func (b *Batch) Clear() error {
	if err := b.enter(); err != nil {
		return err
	}
	defer b.leave()
	return check(raw.LlmBatchClear(b.native))
}
