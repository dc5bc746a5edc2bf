// Continues a text: hello MODEL TEXT
package main

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/libllm/libllm/bindings/go"
)

func main() {
	if len(os.Args) != 3 {
		log.Fatal("usage: hello MODEL TEXT")
	}
	model := must(llm.Open(os.Args[1]))
	defer model.Close()
	session := must(model.NewContext())
	defer session.Close()
	sampler := must(llm.NewSampler(llm.Temperature(0)))
	defer sampler.Close()
	prompt := must(model.Tokenizer().Encode(os.Args[2], llm.AddSpecial))
	generation := must(session.Generate(sampler, prompt, llm.MaxTokens(32)))
	for chunk, err := range generation.Chunks(context.Background()) {
		fmt.Print(must(chunk, err).Text)
	}
	fmt.Println()
}

func must[T any](value T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return value
}
