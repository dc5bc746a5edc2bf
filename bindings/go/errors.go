// Statuses of the library as errors.

package llm

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/libllm/libllm/bindings/go/internal/raw"
)

// Status says what kind of error an [Error] is. A Status is itself an error, for errors.Is and errors.As.
type Status int32

// The statuses, with the numbers that they have in C.
const (
	// ErrCancelled: [Context.Cancel] or a context.Context stopped the call; the state is as before the call.
	ErrCancelled Status = 3

	// ErrArgument: an argument or the value of an option is nil, unknown or outside its range.
	ErrArgument Status = -10
	// ErrTooNew: the library is older than this package.
	ErrTooNew Status = -11
	// ErrBusy: another goroutine is using the object.
	ErrBusy Status = -12
	// ErrState: the object is not in the state that the call needs; there are no logits yet, for instance.
	ErrState Status = -13
	// ErrNotFound: there is no metadata key, option, template or tensor of that name.
	ErrNotFound Status = -14

	// ErrNoMemory: an allocation failed, or a limit such as [MaxMemory] is too small.
	ErrNoMemory Status = -20
	// ErrIO: a file cannot be opened, read or written; the message has the system's reason.
	ErrIO Status = -21

	// ErrNotGGUF: it is no GGUF file; the message guesses what it is.
	ErrNotGGUF Status = -30
	// ErrTruncated: the file ends before what it announces.
	ErrTruncated Status = -31
	// ErrMalformed: the file contradicts itself or the format.
	ErrMalformed Status = -32
	// ErrUnsupported: valid, but of a version, type, architecture or tokenizer that is not in this build.
	ErrUnsupported Status = -33
	// ErrModel: hyper-parameters or tensors are missing or do not fit together.
	ErrModel Status = -34
	// ErrVocabulary: the tokenizer's data is missing or does not fit together.
	ErrVocabulary Status = -35
	// ErrTemplate: the chat template is wrong, or refuses the conversation; the message has the line.
	ErrTemplate Status = -36

	// ErrContextFull: there is no room for these tokens; nothing was evaluated.
	ErrContextFull Status = -40
	// ErrNonfinite: logits hold NaN or no finite value.
	ErrNonfinite Status = -41
	// ErrLimit: a documented limit of the library was exceeded.
	ErrLimit Status = -42
	// ErrNotBuilt: the function was left out of this build of the library.
	ErrNotBuilt Status = -50
	// ErrInternal: a defect of the library; please report it.
	ErrInternal Status = -90
)

// Information, which never leaves this package.
const (
	statusOK             Status = 0
	statusEnd            Status = 1
	statusBufferTooSmall Status = 2
)

// ErrClosed is returned by the methods of an object that was closed.
var ErrClosed = errors.New("llm: the object is closed")

// Error gives the status's name in C, "LLM_ERROR_IO" for instance.
func (s Status) Error() string { return raw.LlmStatusName(int32(s)) }

// Error is an error of the library.
type Error struct {
	Status  Status
	Message string // one line that names the place, the value and the limit; may be empty
	cause   []error
}

func (e *Error) Error() string {
	if e.Message == "" {
		return "llm: " + e.Status.Error()
	}
	return "llm: " + e.Message + " (" + e.Status.Error() + ")"
}

// Unwrap gives the status and, of a call that a context.Context stopped, the reason, all for errors.Is.
func (e *Error) Unwrap() []error { return append([]error{e.Status}, e.cause...) }

// check turns what a native call returned into an error.
func check(outcome raw.Outcome) error {
	if outcome.Status == int32(statusOK) {
		return nil
	}
	return &Error{Status: Status(outcome.Status), Message: outcome.Text}
}

// stopped is the error of a call that ctx stopped.
func stopped(ctx context.Context) error {
	reasons := []error{ctx.Err()}
	if cause := context.Cause(ctx); cause != ctx.Err() {
		reasons = append(reasons, cause)
	}
	return &Error{ErrCancelled, reasons[len(reasons)-1].Error(), reasons}
}

func argumentError(format string, values ...any) error {
	return &Error{Status: ErrArgument, Message: fmt.Sprintf(format, values...)}
}

// checkName refuses a text that C would cut off.
func checkName(what, name string) error {
	if at := strings.IndexByte(name, 0); at >= 0 {
		return argumentError("%s holds a NUL at byte %d", what, at)
	}
	return nil
}
