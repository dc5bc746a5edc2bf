// The library as a whole: version, machine, processor.

package llm

import (
	"sync"

	"github.com/libllm/libllm/bindings/go/internal/raw"
)

// abiVersion is LLM_ABI_VERSION of the header from which internal/raw was generated.
const abiVersion = uint32(raw.LLM_ABI_VERSION)

// Version is the version of the library that is loaded, "0.1.0" for instance.
func Version() string { return raw.LlmVersionString() }

// SystemInfo gives facts about library and machine as a JSON object: version, abi_version, tier, tiers, features,
// threads, unicode_version and chat_templates.
func SystemInfo() (string, error) { return fillText(raw.LlmSystemInfo) }

// SelectCPU chooses the kernels by name: "scalar", "avx2", "avx512", or "auto" for the best that the machine has. All
// of them give the same bits. After the first model was opened it is [ErrState], unless they are in use already;
// [ErrUnsupported] for those that this machine does not have, [ErrArgument] for an unknown name.
func SelectCPU(tier string) error {
	if err := checkName("the tier", tier); err != nil {
		return err
	}
	return check(raw.LlmCpuSelect(tier))
}

// checkLibrary refuses a library for which this package was not made.
var checkLibrary = sync.OnceValue(func() error {
	if version := raw.LlmAbiVersion(); version != abiVersion {
		return &Error{Status: ErrTooNew, Message: "this package is for version " + decimal(abiVersion) +
			" of the library's interface; the library that was loaded has version " + decimal(version)}
	}
	return nil
})
