// Examples of the documentation, with a model whose every token says what follows it.

package llm_test

import (
	"context"
	"errors"
	"fmt"
	"log"

	"github.com/libllm/libllm/bindings/go"
)

func ExampleGeneration_Chunks() {
	model, err := llm.Open(modelPath("chain"))
	if err != nil {
		log.Fatal(err)
	}
	defer model.Close()
	session, err := model.NewContext(llm.ContextLength(64))
	if err != nil {
		log.Fatal(err)
	}
	defer session.Close()
	sampler, err := llm.NewSampler(llm.Temperature(0))
	if err != nil {
		log.Fatal(err)
	}
	defer sampler.Close()
	prompt, err := model.Tokenizer().Encode("A", llm.AddSpecial)
	if err != nil {
		log.Fatal(err)
	}
	generation, err := session.Generate(sampler, prompt, llm.MaxTokens(32))
	if err != nil {
		log.Fatal(err)
	}
	for chunk, err := range generation.Chunks(context.Background()) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Print(chunk.Text)
		if chunk.Finish != llm.FinishNone {
			fmt.Printf("\n(%v)\n", chunk.Finish)
		}
	}
	// Output:
	// box:😀!
	// (end token)
}

func ExampleOpen() {
	_, err := llm.Open("no such file.gguf")
	var failure *llm.Error
	if errors.As(err, &failure) {
		fmt.Println(failure.Status)
	}
	fmt.Println(errors.Is(err, llm.ErrIO))
	// Output:
	// LLM_ERROR_IO
	// true
}

func ExampleTokenizer_Encode() {
	model, err := llm.Open(modelPath("decoder"), llm.VocabularyOnly())
	if err != nil {
		log.Fatal(err)
	}
	defer model.Close()
	tokens, err := model.Tokenizer().Encode("aé", 0)
	fmt.Println(tokens, err)
	// Output: [97 195 169] <nil>
}

func ExampleChatTemplate_Render() {
	model, err := llm.Open(modelPath("decoder"), llm.VocabularyOnly())
	if err != nil {
		log.Fatal(err)
	}
	defer model.Close()
	text, err := model.ChatTemplate().Render(llm.Conversation{
		Messages: []llm.Message{{Role: "user", Content: "Hello!"}},
	})
	fmt.Print(text)
	if errors.Is(err, llm.ErrNotBuilt) { // the library was built without Rust
		fmt.Print("<|im_start|>user\nHello!<|im_end|>\n<|im_start|>assistant\n")
	}
	// Output:
	// <|im_start|>user
	// Hello!<|im_end|>
	// <|im_start|>assistant
}

func ExampleOptions() {
	for _, option := range llm.Options(llm.GenerationOptions) {
		fmt.Println(option.Name)
	}
	// Output:
	// sequence
	// max_tokens
	// logprobs
	// reuse_prefix
}
