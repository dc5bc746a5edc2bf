// Options: what the functions that take options have in common, and the table of all of them.

package llm

import (
	"strconv"

	"github.com/libllm/libllm/bindings/go/internal/raw"
)

// An OptionGroup names the options of one kind of object.
type OptionGroup int32

// The groups.
const (
	ModelOptions      OptionGroup = 0 // of [Open]; set with [ModelSet]
	ContextOptions    OptionGroup = 1 // of [Model.NewContext]; set with [ContextSet]
	SamplerOptions    OptionGroup = 2 // of [NewSampler]; set with [SamplerSet]
	GenerationOptions OptionGroup = 3 // of [Context.Generate]; set with [GenerationSet]
	ChatOptions       OptionGroup = 4 // of [Model.ChatTemplate]; set with [ChatSet]
)

// OptionType says which values an option takes.
type OptionType int32

// The types of options.
const (
	OptionInteger OptionType = 0
	OptionReal    OptionType = 1
	OptionChoice  OptionType = 2 // one of the words in [OptionInfo.Choices]
)

// OptionInfo describes an option that can be set by name.
type OptionInfo struct {
	Name, Help                string
	Type                      OptionType
	Choices                   string  // "packed|mapped" for a choice, else ""
	Default, Minimum, Maximum float64 // of a choice: indexes of words
}

// Options lists the options of a group that can be set by name, none for an unknown group.
func Options(group OptionGroup) []OptionInfo {
	count := raw.LlmOptionCount(int32(group))
	infos := make([]OptionInfo, 0, count)
	option := raw.NewLlmOption()
	defer raw.DeleteLlmOption(option)
	for i := range count {
		if check(raw.LlmOptionDescribe(option, int32(group), i)) != nil {
			break
		}
		infos = append(infos, OptionInfo{
			Name: option.GetName(), Help: option.GetHelp(), Choices: option.GetChoices(),
			Type: OptionType(option.GetType()), Default: option.GetDefaultValue(),
			Minimum: option.GetMinimum(), Maximum: option.GetMaximum(),
		})
	}
	return infos
}

// CheckOption says whether an option of a group can be set to a value: [ErrNotFound] for an unknown name, [ErrArgument]
// for a value that is no number of its type, no such word, or outside the range.
func CheckOption(group OptionGroup, name, value string) error {
	o, err := newOptions[ModelOption](group, nil)
	if err != nil {
		return err
	}
	defer o.free()
	return o.set(name, value)
}

// options are native options while they are filled and used.
type options struct {
	native uintptr
	load   string // what the option of that name was set to
}

// newOptions makes the options of a group. Without an error, free must follow.
func newOptions[Option ~func(*options) error](group OptionGroup, list []Option) (*options, error) {
	made := &options{}
	if err := check(raw.RawOptionsNew(&made.native, int32(group))); err != nil {
		return nil, err
	}
	for _, option := range list {
		if option == nil {
			continue
		}
		if err := option(made); err != nil {
			made.free()
			return nil, err
		}
	}
	return made, nil
}

func (o *options) free() { raw.RawOptionsFree(o.native) }

func (o *options) set(name, value string) error {
	if err := checkName("the option's name", name); err != nil {
		return err
	}
	if err := checkName("the value of "+name, value); err != nil {
		return err
	}
	if name == "load" {
		o.load = value
	}
	return check(raw.RawOptionsSet(o.native, name, value))
}

// setText sets an option that is text, or adds to one that is a list of texts.
func (o *options) setText(name, text string) error {
	return check(raw.RawOptionsText(o.native, name, text))
}

// The following make options of any kind.

func setting[Option ~func(*options) error](name, value string) Option {
	return func(o *options) error { return o.set(name, value) }
}

func integer[Option ~func(*options) error, N int | uint32 | uint64](name string, value N) Option {
	return setting[Option](name, decimal(value))
}

func decimal[N int | uint32 | uint64](value N) string {
	if value < 0 {
		return strconv.FormatInt(int64(value), 10)
	}
	return strconv.FormatUint(uint64(value), 10)
}

func realNumber[Option ~func(*options) error](name string, value float32) Option {
	return setting[Option](name, strconv.FormatFloat(float64(value), 'g', -1, 32))
}

func flag[Option ~func(*options) error](name string, value bool) Option {
	if value {
		return setting[Option](name, "1")
	}
	return setting[Option](name, "0")
}

func text[Option ~func(*options) error](name, value string) Option {
	return func(o *options) error { return o.setText(name, value) }
}
