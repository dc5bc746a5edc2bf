// Finds the lines of the input that are nearest in meaning to a query: search MODEL QUERY < documents
// The model is an encoder such as bge-small or nomic-embed-text.
package main

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"log"
	"os"
	"slices"

	"github.com/libllm/libllm/bindings/go"
)

// A document is a line with the cosine of the angle between its embedding and the query's.
type document struct {
	text  string
	score float32
}

func main() {
	if len(os.Args) != 3 {
		log.Fatal("usage: search MODEL QUERY < documents")
	}
	if err := run(os.Args[1], os.Args[2]); err != nil {
		log.Fatal(err)
	}
}

func run(path, query string) error {
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

	wanted, err := embed(model, session, query)
	if err != nil {
		return err
	}
	var documents []document
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		found, err := embed(model, session, lines.Text())
		if err != nil {
			return err
		}
		documents = append(documents, document{lines.Text(), dot(wanted, found)})
	}
	slices.SortStableFunc(documents, func(a, b document) int { return cmp.Compare(b.score, a.score) })
	for _, d := range documents[:min(3, len(documents))] {
		fmt.Printf("%.3f  %s\n", d.score, d.text)
	}
	return lines.Err()
}

func embed(model *llm.Model, session *llm.Context, text string) ([]float32, error) {
	tokens, err := model.Tokenizer().Encode(text, llm.AddSpecial)
	if err != nil {
		return nil, err
	}
	return session.Embed(context.Background(), tokens, llm.PoolingDefault, true)
}

func dot(a, b []float32) float32 {
	var sum float32
	for i := range a {
		sum += a[i] * b[i]
	}
	return sum
}
