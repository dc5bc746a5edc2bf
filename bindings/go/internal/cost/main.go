// The time of generated tokens through this module: cost MODEL TOKENS. bindings/cost/README.md says what a program of
// this kind does.
package main

import (
	"context"
	"fmt"
	"log"
	"os"
	"strconv"
	"time"

	"github.com/libllm/libllm/bindings/go"
)

func main() {
	if len(os.Args) != 3 {
		log.Fatal("usage: cost MODEL TOKENS")
	}
	count, err := strconv.Atoi(os.Args[2])
	if err == nil {
		err = measure(os.Args[1], count)
	}
	if err != nil {
		log.Fatal(err)
	}
}

func measure(path string, count int) error {
	model, err := llm.Open(path)
	if err != nil {
		return err
	}
	defer model.Close()
	session, err := model.NewContext()
	if err != nil {
		return err
	}
	defer session.Close()
	sampler, err := llm.NewSampler(llm.Temperature(0))
	if err != nil {
		return err
	}
	defer sampler.Close()
	prompt, err := model.Tokenizer().Encode("Once upon a time", llm.AddSpecial)
	if err != nil {
		return err
	}
	generation, err := session.Generate(sampler, prompt, llm.MaxTokens(count+1))
	if err != nil {
		return err
	}
	var start time.Time
	tokens, checksum := -1, 0 // the first chunk, which brings the prompt's evaluation with it, is not measured
	for chunk, err := range generation.Chunks(context.Background()) {
		if err != nil {
			return err
		}
		if tokens++; tokens == 0 {
			start = time.Now()
			continue
		}
		checksum += int(chunk.Token) + len(chunk.Text)
	}
	fmt.Printf("{\"tokens\": %d, \"seconds\": %.6f, \"checksum\": %d}\n", tokens, time.Since(start).Seconds(), checksum)
	return nil
}
