// Answers many requests at once on one shared model: requests MODEL PROMPT...
// Each request has a goroutine and a context of its own; as many run at a time as there are processors. A request that
// takes longer than a minute is given up.
package main

import (
	"context"
	"fmt"
	"log"
	"os"
	"runtime"
	"sync"
	"time"

	"github.com/libllm/libllm/bindings/go"
)

func main() {
	if len(os.Args) < 3 {
		log.Fatal("usage: requests MODEL PROMPT...")
	}
	model, err := llm.Open(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	defer model.Close()

	prompts := os.Args[2:]
	answers := make([]string, len(prompts))
	slots := make(chan struct{}, runtime.NumCPU())
	var group sync.WaitGroup
	for i, prompt := range prompts {
		group.Add(1)
		go func() {
			defer group.Done()
			slots <- struct{}{}
			defer func() { <-slots }()
			text, err := answer(model, prompt)
			if err != nil {
				text = err.Error()
			}
			answers[i] = text
		}()
	}
	group.Wait()
	for i, text := range answers {
		fmt.Printf("%s -> %s\n", prompts[i], text)
	}
}

func answer(model *llm.Model, text string) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	session, err := model.NewContext(llm.Threads(1), llm.ContextLength(256))
	if err != nil {
		return "", err
	}
	defer session.Close()
	sampler, err := llm.NewSampler(llm.Temperature(0))
	if err != nil {
		return "", err
	}
	defer sampler.Close()
	prompt, err := model.Tokenizer().Encode(text, llm.AddSpecial)
	if err != nil {
		return "", err
	}
	generation, err := session.Generate(sampler, prompt, llm.MaxTokens(32))
	if err != nil {
		return "", err
	}
	return generation.Text(ctx)
}
