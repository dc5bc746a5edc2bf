// A conversation on the terminal, streamed: chat MODEL
// Each line of the input is a message. Interrupting (Ctrl-C) ends the answer that is being written.
package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"os/signal"
	"strings"

	"github.com/libllm/libllm/bindings/go"
)

func main() {
	if len(os.Args) != 2 {
		log.Fatal("usage: chat MODEL")
	}
	if err := run(os.Args[1]); err != nil {
		log.Fatal(err)
	}
}

func run(path string) error {
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
	sampler, err := llm.NewSampler(llm.FromModel(model))
	if err != nil {
		return err
	}
	defer sampler.Close()

	var messages []llm.Message
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		messages = append(messages, llm.Message{Role: "user", Content: lines.Text()})
		answer, err := reply(model, session, sampler, messages)
		if errors.Is(err, llm.ErrContextFull) && len(messages) > 1 {
			messages = messages[len(messages)-1:] // what was said before is forgotten
			answer, err = reply(model, session, sampler, messages)
		}
		if err != nil {
			return err
		}
		messages = append(messages, llm.Message{Role: "assistant", Content: answer})
	}
	return nil
}

func reply(model *llm.Model, session *llm.Context, sampler *llm.Sampler, messages []llm.Message) (string, error) {
	prompt, err := model.ChatTemplate().Tokenize(llm.Conversation{Messages: messages})
	if err != nil {
		return "", err
	}
	return stream(session, sampler, prompt)
}

// stream prints the answer as it comes. The prompt is the whole conversation; what the session has of it from the
// turns before is not evaluated again.
func stream(session *llm.Context, sampler *llm.Sampler, prompt []llm.Token) (string, error) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	generation, err := session.Generate(sampler, prompt, llm.ReusePrefix(), llm.MaxTokens(512))
	if err != nil {
		return "", err
	}
	var answer strings.Builder
	for chunk, err := range generation.Chunks(ctx) {
		if errors.Is(err, llm.ErrCancelled) {
			break
		}
		if err != nil {
			return "", err
		}
		fmt.Print(chunk.Text)
		answer.WriteString(chunk.Text)
	}
	fmt.Println()
	return answer.String(), nil
}
