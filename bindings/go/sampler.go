// Samplers: choosing tokens.

package llm

import "github.com/libllm/libllm/bindings/go/internal/raw"

// A Sampler chooses tokens from logits. The same seed gives the same tokens on every machine. One goroutine may use it
// at a time; another one gets [ErrBusy].
type Sampler struct{ handle }

// A SamplerOption is an option of [NewSampler].
type SamplerOption func(*options) error

// SamplerSet sets any option of the group [SamplerOptions] by its name; see [Options].
func SamplerSet(name, value string) SamplerOption { return setting[SamplerOption](name, value) }

// Temperature is the randomness; 0 chooses the most probable token always. The default is 0.8.
func Temperature(value float32) SamplerOption { return realNumber[SamplerOption]("temperature", value) }

// TopK keeps that many of the most probable tokens; 0 keeps all. The default is 40.
func TopK(count int) SamplerOption { return integer[SamplerOption]("top_k", count) }

// TopP keeps the smallest set of tokens of that much probability; 1 keeps all. The default is 0.95.
func TopP(probability float32) SamplerOption { return realNumber[SamplerOption]("top_p", probability) }

// MinP drops tokens that are less probable than this times the best; 0 drops none. The default is 0.05.
func MinP(part float32) SamplerOption { return realNumber[SamplerOption]("min_p", part) }

// Seed makes the random numbers repeatable; without it, or with 4294967295, the system gives one, which
// [Sampler.Seed] tells.
func Seed(seed uint32) SamplerOption { return integer[SamplerOption]("seed", seed) }

// RepeatPenalty weakens the tokens that occurred among the last ones (-1 = all, 64 by default) by a factor; 1, the
// default, does nothing.
func RepeatPenalty(factor float32, last int) SamplerOption {
	return func(o *options) error {
		if err := realNumber[SamplerOption]("repeat_penalty", factor)(o); err != nil {
			return err
		}
		return o.set("repeat_last_n", decimal(last))
	}
}

// FrequencyPenalty is subtracted from a token's logit each time that it occurred; the default is 0.
func FrequencyPenalty(value float32) SamplerOption {
	return realNumber[SamplerOption]("frequency_penalty", value)
}

// PresencePenalty is subtracted from a token's logit when it occurred at all; the default is 0.
func PresencePenalty(value float32) SamplerOption {
	return realNumber[SamplerOption]("presence_penalty", value)
}

// LogitBias is added to a token's logit; minus infinity means never that token.
func LogitBias(token Token, bias float32) SamplerOption {
	return func(o *options) error { return check(raw.RawOptionsBias(o.native, token, bias)) }
}

// DryBreakers are texts that a repetition does not reach across, for the penalty DRY ([SamplerSet] "dry_multiplier");
// the first of them takes the place of the default ones, which are a newline and : " *
func DryBreakers(texts ...string) SamplerOption {
	return func(o *options) error {
		for _, text := range texts {
			if err := o.setText("dry_breaker", text); err != nil {
				return err
			}
		}
		return nil
	}
}

// FromModel sets those options for which the model's file recommends a value.
func FromModel(model *Model) SamplerOption {
	return func(o *options) error {
		if model == nil {
			return argumentError("no model")
		}
		if err := model.enter(); err != nil {
			return err
		}
		defer model.leave()
		return check(raw.LlmSamplerOptionsFromModel(raw.RawSamplerOptions(o.native), model.native))
	}
}

// NewSampler makes a sampler. [ErrArgument] for values outside their range, [ErrNotFound] for unknown names.
func NewSampler(list ...SamplerOption) (*Sampler, error) {
	o, err := newOptions(SamplerOptions, list)
	if err != nil {
		return nil, err
	}
	defer o.free()
	return newSampler(func(out *uintptr) raw.Outcome {
		return raw.LlmSamplerNew(out, raw.RawSamplerOptions(o.native))
	})
}

func newSampler(call func(out *uintptr) raw.Outcome) (*Sampler, error) {
	var native uintptr
	if err := check(call(&native)); err != nil {
		return nil, err
	}
	s := &Sampler{}
	s.adopt(native, raw.LlmSamplerClose, false)
	return s, nil
}

// Close gives the sampler back. It always returns nil.
func (s *Sampler) Close() error {
	if s != nil {
		s.close()
	}
	return nil
}

// Clone makes a sampler that goes on as this one does: with its random numbers and the tokens that it has seen.
func (s *Sampler) Clone() (*Sampler, error) {
	if err := s.enter(); err != nil {
		return nil, err
	}
	defer s.leave()
	return newSampler(func(out *uintptr) raw.Outcome { return raw.LlmSamplerClone(out, s.native) })
}

// Seed is the seed that is in force, to repeat a run.
func (s *Sampler) Seed() (uint32, error) {
	if err := s.enter(); err != nil {
		return 0, err
	}
	defer s.leave()
	return raw.LlmSamplerSeed(s.native), nil
}

// Reset starts again from the seed, without tokens seen.
func (s *Sampler) Reset() error {
	if err := s.enter(); err != nil {
		return err
	}
	defer s.leave()
	return check(raw.LlmSamplerReset(s.native))
}

// Accept tells the sampler of tokens that it did not choose, such as a prompt, for penalties and DRY. [Sampler.Sample]
// and generations do that themselves.
func (s *Sampler) Accept(tokens []Token) error {
	if err := s.enter(); err != nil {
		return err
	}
	defer s.leave()
	return check(raw.LlmSamplerAccept(s.native, tokens))
}

// Sample chooses a token from a row of the context's logits (-1 = the last row), and accepts it. [ErrState] when there
// are no logits, [ErrNonfinite], [ErrArgument]; the sampler is then as before.
func (s *Sampler) Sample(c *Context, row int) (Token, error) {
	if c == nil {
		return TokenNone, argumentError("no context")
	}
	if err := s.enter(); err != nil {
		return TokenNone, err
	}
	defer s.leave()
	if err := c.enter(); err != nil {
		return TokenNone, err
	}
	defer c.leave()
	token := TokenNone
	err := check(raw.LlmSample(&token, s.native, c.native, number(row)))
	return token, err
}
