// Text to tokens and back.

package llm

import (
	"github.com/libllm/libllm/bindings/go/internal/raw"
)

// Token is the id of a token: 0 .. VocabularySize-1.
type Token = int32

// TokenNone stands for no token.
const TokenNone Token = -1

// A Tokenizer turns text into tokens and back. It belongs to its model and needs no Close.
type Tokenizer struct{ model *Model }

// Tokenizer gives the model's tokenizer. Its methods are [ErrState] when the model was opened with [MetadataOnly].
func (m *Model) Tokenizer() *Tokenizer { return &Tokenizer{m} }

// EncodeFlags says how text becomes tokens.
type EncodeFlags uint32

// Flags of [Tokenizer.Encode], which may be joined with |. None is the plain text.
const (
	// AddSpecial adds the begin and end tokens that the model wants.
	AddSpecial EncodeFlags = 1
	// ParseSpecial makes control tokens of their spellings. Only for text that you wrote yourself: with it, a user's
	// text can forge turns of a chat.
	ParseSpecial EncodeFlags = 2
)

// Encode turns text into tokens. Text is UTF-8; ill-formed bytes and NUL are data like any other. [ErrLimit] for more
// than 2 GiB, [ErrVocabulary] for text that the vocabulary cannot express.
func (t *Tokenizer) Encode(text string, flags EncodeFlags) ([]Token, error) {
	if err := t.model.enter(); err != nil {
		return nil, err
	}
	defer t.model.leave()
	return fill(len(text)/3+8, func(out []Token, needed *uint64) raw.Outcome {
		return raw.LlmTokenize(out, needed, t.model.native, text, uint32(flags))
	})
}

// DecodeFlags says how tokens become text.
type DecodeFlags uint32

// WriteSpecial writes control tokens with their spelling; without it they give no text.
const WriteSpecial DecodeFlags = 1

// Decode turns tokens into text. The bytes may be ill-formed UTF-8 when the tokens are so chosen; a [Generation] never
// splits a character. [ErrArgument] for a token outside the vocabulary.
func (t *Tokenizer) Decode(tokens []Token, flags DecodeFlags) (string, error) {
	if err := t.model.enter(); err != nil {
		return "", err
	}
	defer t.model.leave()
	return fillText(func(out []byte, needed *uint64) raw.Outcome {
		return raw.LlmDetokenize(out, needed, t.model.native, tokens, uint32(flags))
	})
}

// Piece gives the bytes of one token as they stand inside a text, a leading space included.
func (t *Tokenizer) Piece(token Token, flags DecodeFlags) (string, error) {
	if err := t.model.enter(); err != nil {
		return "", err
	}
	defer t.model.leave()
	return fillText(func(out []byte, needed *uint64) raw.Outcome {
		return raw.LlmTokenPiece(out, needed, t.model.native, token, uint32(flags))
	})
}

// TokenAttributes are properties of a token, of which it may have several.
type TokenAttributes uint32

// The attributes of tokens.
const (
	TokenControl        TokenAttributes = 1 // steers the model, no text
	TokenUserDefined    TokenAttributes = 2 // added by the model's maker; matched before anything else
	TokenUnknown        TokenAttributes = 4
	TokenUnused         TokenAttributes = 8
	TokenByte           TokenAttributes = 16 // stands for a byte that has no token of its own
	TokenEndsGeneration TokenAttributes = 32
)

// TokenInfo describes a token.
type TokenInfo struct {
	Text       string // as the vocabulary spells it
	Score      float32
	Attributes TokenAttributes
}

// Info describes a token. [ErrArgument] for one outside the vocabulary.
func (t *Tokenizer) Info(token Token) (TokenInfo, error) {
	if err := t.model.enter(); err != nil {
		return TokenInfo{}, err
	}
	defer t.model.leave()
	info := raw.NewLlmTokenInfo()
	defer raw.DeleteLlmTokenInfo(info)
	if err := check(raw.LlmTokenGetInfo(info, t.model.native, token)); err != nil {
		return TokenInfo{}, err
	}
	text, err := fillText(func(out []byte, needed *uint64) raw.Outcome {
		return raw.RawTokenText(out, needed, info)
	})
	return TokenInfo{text, info.GetScore(), TokenAttributes(info.GetAttributes())}, err
}

// Special is a kind of special token.
type Special int32

// The kinds of special tokens.
const (
	BeginToken     Special = 0 // of text (BOS)
	EndToken       Special = 1 // of text (EOS)
	EndOfTurnToken Special = 2
	UnknownToken   Special = 3
	PaddingToken   Special = 4
	SeparatorToken Special = 5
)

// Special gives the token of a kind, or [TokenNone] when the model has none or is closed.
func (t *Tokenizer) Special(kind Special) Token {
	if t.model.enter() != nil {
		return TokenNone
	}
	defer t.model.leave()
	return raw.LlmSpecialToken(t.model.native, int32(kind))
}
