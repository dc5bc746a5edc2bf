// The numbers that are written in this package are those of the header.

package llm

import (
	"errors"
	"strings"
	"testing"

	"github.com/libllm/libllm/bindings/go/internal/raw"
)

func TestStatuses(t *testing.T) {
	names := map[Status]string{
		ErrCancelled: "LLM_CANCELLED", ErrArgument: "LLM_ERROR_ARGUMENT", ErrTooNew: "LLM_ERROR_TOO_NEW",
		ErrBusy: "LLM_ERROR_BUSY", ErrState: "LLM_ERROR_STATE", ErrNotFound: "LLM_ERROR_NOT_FOUND",
		ErrNoMemory: "LLM_ERROR_NO_MEMORY", ErrIO: "LLM_ERROR_IO", ErrNotGGUF: "LLM_ERROR_NOT_GGUF",
		ErrTruncated: "LLM_ERROR_TRUNCATED", ErrMalformed: "LLM_ERROR_MALFORMED",
		ErrUnsupported: "LLM_ERROR_UNSUPPORTED", ErrModel: "LLM_ERROR_MODEL", ErrVocabulary: "LLM_ERROR_VOCABULARY",
		ErrTemplate: "LLM_ERROR_TEMPLATE", ErrContextFull: "LLM_ERROR_CONTEXT_FULL",
		ErrNonfinite: "LLM_ERROR_NONFINITE", ErrLimit: "LLM_ERROR_LIMIT", ErrNotBuilt: "LLM_ERROR_NOT_BUILT",
		ErrInternal: "LLM_ERROR_INTERNAL",
		statusOK:    "LLM_OK", statusEnd: "LLM_END", statusBufferTooSmall: "LLM_BUFFER_TOO_SMALL",
	}
	for status, name := range names {
		if status.Error() != name {
			t.Errorf("%d is %s, not %s", status, status.Error(), name)
		}
	}
	for number := Status(-1000); number < 1000; number++ {
		if _, known := names[number]; !known && number.Error() != "LLM_STATUS_UNKNOWN" {
			t.Errorf("%s is missing", number.Error())
		}
	}
}

func TestNumbers(t *testing.T) {
	pairs := map[string][2]int{
		"options": {int(ChatOptions), raw.LLM_OPTIONS_CHAT}, "choice": {int(OptionChoice), raw.LLM_OPTION_CHOICE},
		"string": {int(String), raw.LLM_VALUE_STRING}, "array": {int(Array), raw.LLM_VALUE_ARRAY},
		"uint64": {int(Uint64), raw.LLM_VALUE_U64}, "int64": {int(Int64), raw.LLM_VALUE_I64},
		"bool": {int(Bool), raw.LLM_VALUE_BOOL}, "float64": {int(Float64), raw.LLM_VALUE_F64},
		"add special":   {int(AddSpecial), int(raw.LLM_TOKENIZE_ADD_SPECIAL)},
		"parse special": {int(ParseSpecial), int(raw.LLM_TOKENIZE_PARSE_SPECIAL)},
		"write special": {int(WriteSpecial), int(raw.LLM_DETOKENIZE_SPECIAL)},
		"control":       {int(TokenControl), int(raw.LLM_TOKEN_CONTROL)},
		"user defined":  {int(TokenUserDefined), int(raw.LLM_TOKEN_USER_DEFINED)},
		"unknown":       {int(TokenUnknown), int(raw.LLM_TOKEN_UNKNOWN)},
		"unused":        {int(TokenUnused), int(raw.LLM_TOKEN_UNUSED)},
		"byte":          {int(TokenByte), int(raw.LLM_TOKEN_BYTE)},
		"ends":          {int(TokenEndsGeneration), int(raw.LLM_TOKEN_ENDS_GENERATION)},
		"none":          {int(TokenNone), raw.LLM_TOKEN_NONE},
		"separator":     {int(SeparatorToken), raw.LLM_SPECIAL_SEPARATOR},
		"logits all":    {int(LogitsAll), int(raw.LLM_EVAL_LOGITS_ALL)},
		"logits none":   {int(LogitsNone), int(raw.LLM_EVAL_LOGITS_NONE)},
		"pooling":       {int(PoolingNone), raw.LLM_POOLING_NONE},
		"finish":        {int(FinishContextFull), raw.LLM_FINISH_CONTEXT_FULL},
	}
	for name, pair := range pairs {
		if pair[0] != pair[1] {
			t.Errorf("%s: %d, in C %d", name, pair[0], pair[1])
		}
	}
}

func TestErrorTexts(t *testing.T) {
	_, err := Open("/no/such/file.gguf")
	var failure *Error
	if !errors.Is(err, ErrIO) || errors.Is(err, ErrModel) || !errors.As(err, &failure) {
		t.Fatal(err)
	}
	if !strings.Contains(err.Error(), "/no/such/file.gguf") || !strings.Contains(err.Error(), "LLM_ERROR_IO") ||
		strings.Contains(failure.Message, "\n") {
		t.Error(err)
	}
}
