// Models: opening them, and facts about them.

package llm

import (
	"os"
	"unsafe"

	"github.com/libllm/libllm/bindings/go/internal/raw"
)

// A Model is the content of a GGUF file. It never changes, and any number of goroutines may use it at the same time.
type Model struct{ handle }

// A ModelOption is an option of [Open], [OpenBytes] and [OpenFile].
type ModelOption func(*options) error

// ModelSet sets any option of the group [ModelOptions] by its name; see [Options].
func ModelSet(name, value string) ModelOption { return setting[ModelOption](name, value) }

// Mapped maps the file instead of reading it, and computes from the file's own blocks: less memory, which processes
// share, but slower. The file must not change or shrink while the model is open.
func Mapped() ModelOption { return ModelSet("load", "mapped") }

// VocabularyOnly opens metadata and tokenizer, but no weights; there can be no [Context].
func VocabularyOnly() ModelOption { return ModelSet("open", "vocabulary") }

// MetadataOnly opens metadata and the list of tensors, also of models that cannot be run.
func MetadataOnly() ModelOption { return ModelSet("open", "metadata") }

// LoadThreads is the number of threads that read the weights; 0, the default, is the machine's.
func LoadThreads(count int) ModelOption { return integer[ModelOption]("threads", count) }

// MaxMemory is the most bytes that the weights may take; a model that needs more is [ErrNoMemory] before it is read.
// 0, the default, is no limit.
func MaxMemory(bytes uint64) ModelOption { return integer[ModelOption]("max_memory", bytes) }

// Verify reads all weights and refuses a model in which one is not finite.
func Verify() ModelOption { return ModelSet("verify", "1") }

// LockMemory keeps the weights in physical memory. [ErrNoMemory] has the system's limit when it does not allow that.
func LockMemory() ModelOption { return ModelSet("lock", "1") }

// PreTokenizer is the name to use instead of the file's tokenizer.ggml.pre.
func PreTokenizer(name string) ModelOption {
	return func(o *options) error {
		if err := checkName("the pre-tokenizer's name", name); err != nil {
			return err
		}
		return o.setText("pre_tokenizer", name)
	}
}

// Open opens a model file; of a split model any part, beside which the others are. The errors are [ErrIO],
// [ErrNotGGUF], [ErrTruncated], [ErrMalformed], [ErrUnsupported], [ErrModel], [ErrVocabulary], [ErrNoMemory] and
// [ErrArgument]. After success nothing that is in the file can make a later call fail, but for weights that are not
// finite ([ErrNonfinite]) and a chat template that is wrong ([ErrTemplate]).
func Open(path string, list ...ModelOption) (*Model, error) {
	if err := checkName("the path", path); err != nil {
		return nil, err
	}
	return open(list, func(out *uintptr, o *options) raw.Outcome {
		return raw.LlmModelOpen(out, path, raw.RawModelOptions(o.native))
	})
}

// OpenBytes opens a model that is in memory, which is not needed any more afterwards. [Mapped] is [ErrArgument]: the
// library would have to keep memory that is Go's.
func OpenBytes(data []byte, list ...ModelOption) (*Model, error) {
	list = append(list[:len(list):len(list)], func(o *options) error {
		if o.load == "mapped" {
			return argumentError("a model in Go's memory cannot be opened as a mapped one")
		}
		return nil
	})
	return open(list, func(out *uintptr, o *options) raw.Outcome {
		return raw.LlmModelOpenMemory(out, bytesAsString(data), raw.RawModelOptions(o.native))
	})
}

// OpenFile opens a model that is part of an open file: length bytes from offset on, or up to the file's end if length
// is 0. The file may be closed afterwards; its position is neither used nor changed. [ErrArgument] when the file does
// not have that range.
func OpenFile(file *os.File, offset, length int64, list ...ModelOption) (*Model, error) {
	if file == nil || offset < 0 || length < 0 {
		return nil, argumentError("no file, or a negative offset %d or length %d", offset, length)
	}
	connection, err := file.SyscallConn()
	if err != nil {
		return nil, err
	}
	var model *Model
	var opened error
	err = connection.Control(func(descriptor uintptr) {
		model, opened = open(list, func(out *uintptr, o *options) raw.Outcome {
			return raw.LlmModelOpenFd(out, int(descriptor), uint64(offset), uint64(length),
				raw.RawModelOptions(o.native))
		})
	})
	if err != nil {
		return nil, err
	}
	return model, opened
}

func open(list []ModelOption, call func(out *uintptr, o *options) raw.Outcome) (*Model, error) {
	if err := checkLibrary(); err != nil {
		return nil, err
	}
	o, err := newOptions(ModelOptions, list)
	if err != nil {
		return nil, err
	}
	defer o.free()
	var native uintptr
	if err := check(call(&native, o)); err != nil {
		return nil, err
	}
	model := &Model{}
	model.adopt(native, raw.LlmModelClose, true)
	return model, nil
}

// bytesAsString lets a native call read bytes, which must not change during the call, without copying them.
func bytesAsString(data []byte) string { return unsafe.String(unsafe.SliceData(data), len(data)) }

// Close gives the model back. Its memory is freed when its contexts are closed, too. It always returns nil.
func (m *Model) Close() error {
	if m != nil {
		m.close()
	}
	return nil
}

// ModelInfo has facts about a model. Numbers that the file does not give are 0.
type ModelInfo struct {
	Architecture string // "llama"
	Name         string // "" if the file has none
	Type         string // "Q4_1": the tensor type that holds most of the weights' bytes
	Description  string // for people: "llama 1.24B Q4_K"

	Parameters  uint64 // elements of all tensors
	FileSize    uint64 // bytes, of all parts
	TensorBytes uint64 // of all tensors as they are in the file
	WeightBytes uint64 // of memory that the weights take; 0 when mapped

	VocabularySize, ContextLength, EmbeddingLength, Layers int // ContextLength is the one that it was trained for
	Heads, HeadsKV, HeadLength, FeedForwardLength          int
	Files, Experts, ExpertsUsed                            int

	Generates bool // it is a decoder, for [Context.Eval] and [Context.Generate]
	Embeds    bool // it is an encoder, for [Context.Embed]
}

// Info gives facts about the model.
func (m *Model) Info() (ModelInfo, error) {
	if err := m.enter(); err != nil {
		return ModelInfo{}, err
	}
	defer m.leave()
	i := raw.NewLlmModelInfo()
	defer raw.DeleteLlmModelInfo(i)
	if err := check(raw.LlmModelGetInfo(i, m.native)); err != nil {
		return ModelInfo{}, err
	}
	return ModelInfo{
		Architecture: i.GetArchitecture(), Name: i.GetName(), Type: i.GetType(), Description: i.GetDescription(),
		Parameters: i.GetParameterCount(), FileSize: i.GetFileSize(), TensorBytes: i.GetTensorBytes(),
		WeightBytes: i.GetWeightBytes(), VocabularySize: int(i.GetVocabularySize()),
		ContextLength: int(i.GetContextLength()), EmbeddingLength: int(i.GetEmbeddingLength()),
		Layers: int(i.GetLayerCount()), Heads: int(i.GetHeadCount()), HeadsKV: int(i.GetHeadCountKv()),
		HeadLength: int(i.GetHeadLength()), FeedForwardLength: int(i.GetFeedForwardLength()),
		Files: int(i.GetFileCount()), Experts: int(i.GetExpertCount()), ExpertsUsed: int(i.GetExpertUsedCount()),
		Generates: uint(i.GetCapabilities())&raw.LLM_MODEL_GENERATES != 0,
		Embeds:    uint(i.GetCapabilities())&raw.LLM_MODEL_EMBEDS != 0,
	}, nil
}

// Support says what the model needs and whether this build of the library has it, as a JSON object; its "runnable" is
// whether the model could be opened with its weights, and "problem" what would be the error.
func (m *Model) Support() (string, error) {
	if err := m.enter(); err != nil {
		return "", err
	}
	defer m.leave()
	return fillText(func(out []byte, needed *uint64) raw.Outcome {
		return raw.LlmModelSupport(out, needed, m.native)
	})
}

// MemoryEstimate is what a model and a context take together, in bytes. Vocabulary and metadata come on top.
type MemoryEstimate struct {
	Weights, Mapped, Cache, Scratch                 uint64
	ContextLength, BatchSize, Threads, MaxSequences int
}

// EstimateMemory computes what this model and a context with these options take, without reading weights or
// allocating any of it. The model may have been opened in any way; [MetadataOnly] is enough.
func (m *Model) EstimateMemory(list ...ContextOption) (MemoryEstimate, error) {
	if err := m.enter(); err != nil {
		return MemoryEstimate{}, err
	}
	defer m.leave()
	o, err := newOptions(ContextOptions, list)
	if err != nil {
		return MemoryEstimate{}, err
	}
	defer o.free()
	n := raw.NewLlmMemory()
	defer raw.DeleteLlmMemory(n)
	if err := check(raw.LlmMemoryEstimate(n, m.native, raw.RawContextOptions(o.native))); err != nil {
		return MemoryEstimate{}, err
	}
	return MemoryEstimate{
		Weights: n.GetWeightBytes(), Mapped: n.GetMappedBytes(), Cache: n.GetCacheBytes(),
		Scratch: n.GetScratchBytes(), ContextLength: int(n.GetContextLength()), BatchSize: int(n.GetBatchSize()),
		Threads: int(n.GetThreads()), MaxSequences: int(n.GetMaxSequences()),
	}, nil
}
