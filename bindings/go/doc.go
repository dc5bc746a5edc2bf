// Package llm runs large language models from GGUF files on the CPU, inside the program that uses it. It is the Go
// layer over the C library libllm, which cgo finds through pkg-config under the name llm.
//
//	model, err := llm.Open("model.gguf")
//	...
//	defer model.Close()
//	session, err := model.NewContext()
//	...
//	defer session.Close()
//	sampler, err := llm.NewSampler(llm.Temperature(0))
//	...
//	defer sampler.Close()
//	prompt, err := model.Tokenizer().Encode("Once upon a time", llm.AddSpecial)
//	...
//	generation, err := session.Generate(sampler, prompt, llm.MaxTokens(32))
//	...
//	for chunk, err := range generation.Chunks(ctx) {
//		if err != nil {
//			return err
//		}
//		fmt.Print(chunk.Text)
//	}
//
// # Goroutines
//
// A [Model], with its [Tokenizer] and [ChatTemplate], may be used by any number of goroutines at the same time. A
// [Context], a [Batch], a [Sampler] and a [Generation] belong to one goroutine at a time, any one; a second one that
// calls meanwhile gets [ErrBusy]. Close and [Context.Cancel] may be called from any goroutine. Evaluations run on
// threads of the library, and the calling goroutine occupies one thread of the system until they are done.
//
// # Lifetime
//
// What a function of this package makes is the caller's, who closes it. Objects may be closed in any order and more
// than once; afterwards their methods return [ErrClosed]. One that is closed during a call ends with that call. What
// was never closed is released some time after the garbage collector found it, but the collector does not know how
// much memory a model takes: close what you open. Everything that is returned is a copy and stays valid.
//
// # Errors
//
// Errors of the library are of type *[Error] and are told apart by errors.Is with a [Status] such as [ErrIO]. A call
// that was stopped by its context.Context gives an error that is both [ErrCancelled] and the context's own. After an
// error the object is as it was before the call. Passing nil for an object is [ErrArgument]. Methods of a nil pointer
// panic, as they do everywhere in Go.
package llm

//go:generate bash generate.sh
