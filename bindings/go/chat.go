// Conversations to prompts.

package llm

import (
	"encoding/json"
	"errors"
	"maps"
	"time"

	"github.com/libllm/libllm/bindings/go/internal/raw"
)

// A Message is a turn of a conversation.
type Message struct {
	Role    string         // "system", "user", "assistant", or what else the template knows
	Content string         // bytes that are no UTF-8 become U+FFFD
	Extra   map[string]any // further keys that the template knows, such as "tool_calls"; may replace the others
}

// MarshalJSON gives the object that a chat template sees.
func (m Message) MarshalJSON() ([]byte, error) {
	object := map[string]any{"role": m.Role, "content": m.Content}
	maps.Copy(object, m.Extra)
	return json.Marshal(object)
}

// A Conversation is what a chat template makes a prompt of.
type Conversation struct {
	Messages  []Message
	Tools     []any          // functions that the model may call, in the template's form (JSON schema mostly)
	Documents []any          // as Tools
	Complete  bool           // the prompt does not end with the beginning of the assistant's turn
	Variables map[string]any // further variables of the template, "enable_thinking" for instance
}

// MarshalJSON gives the request that [ChatTemplate.RenderJSON] takes.
func (c Conversation) MarshalJSON() ([]byte, error) {
	request := map[string]any{"messages": c.Messages, "add_generation_prompt": !c.Complete}
	if c.Messages == nil {
		request["messages"] = []Message{}
	}
	if c.Tools != nil {
		request["tools"] = c.Tools
	}
	if c.Documents != nil {
		request["documents"] = c.Documents
	}
	if c.Variables != nil {
		request["variables"] = c.Variables
	}
	return json.Marshal(request)
}

// A ChatOption is an option of [Model.ChatTemplate].
type ChatOption func(*options) error

// ChatSet sets any option of the group [ChatOptions] by its name; see [Options].
func ChatSet(name, value string) ChatOption { return setting[ChatOption](name, value) }

// TemplateText is a template to use instead of the file's.
func TemplateText(template string) ChatOption { return text[ChatOption]("template_text", template) }

// TemplateName is one of [Model.ChatTemplateNames].
func TemplateName(name string) ChatOption {
	return func(o *options) error {
		if err := checkName("the template's name", name); err != nil {
			return err
		}
		return o.setText("template_name", name)
	}
}

// Now is what the template takes for the time, in the zone that it is in; without it, the system's clock and zone.
func Now(now time.Time) ChatOption {
	return func(o *options) error {
		_, ahead := now.Zone()
		raw.RawOptionsNow(o.native, now.Unix())
		return o.set("utc_offset", decimal(ahead))
	}
}

// Unguarded lets messages spell control tokens. Without it, which is the default, they cannot: what is in a message
// stays text. Only for conversations that are as trustworthy as the template.
func Unguarded() ChatOption { return ChatSet("guard", "0") }

// A ChatTemplate makes prompts of conversations. It belongs to its model and needs no Close.
type ChatTemplate struct {
	model *Model
	list  []ChatOption
}

// ChatTemplate gives the model's chat template with these options, which are looked at when it is used.
func (m *Model) ChatTemplate(list ...ChatOption) *ChatTemplate { return &ChatTemplate{m, list} }

// Tokenize turns a conversation into tokens, ready for [Context.Generate]. [ErrTemplate] has the template's line, and
// its own words where it refuses the conversation; [ErrNotFound] when the file has no such template, [ErrLimit] when it
// takes too much time or memory, [ErrNotBuilt] when the library was built without templates.
func (t *ChatTemplate) Tokenize(conversation Conversation) ([]Token, error) {
	request, err := json.Marshal(conversation)
	if err != nil {
		return nil, err
	}
	return t.TokenizeJSON(request)
}

// Render turns a conversation into the prompt's text, to look at: no token of it says any more who wrote it. The errors
// are those of [ChatTemplate.Tokenize].
func (t *ChatTemplate) Render(conversation Conversation) (string, error) {
	request, err := json.Marshal(conversation)
	if err != nil {
		return "", err
	}
	return t.RenderJSON(request)
}

// TokenizeJSON is [ChatTemplate.Tokenize] for a request that is JSON already: an object with "messages", and "tools",
// "documents", "add_generation_prompt", "variables" and any further variables.
func (t *ChatTemplate) TokenizeJSON(request []byte) ([]Token, error) {
	return use(t, len(request)/2+64, func(out []Token, needed *uint64, native uintptr) raw.Outcome {
		return raw.LlmChatTokenize(out, needed, t.model.native, bytesAsString(request), native)
	})
}

// RenderJSON is [ChatTemplate.Render] for a request that is JSON already.
func (t *ChatTemplate) RenderJSON(request []byte) (string, error) {
	text, err := use(t, len(request)*2+64, func(out []byte, needed *uint64, native uintptr) raw.Outcome {
		return raw.LlmChatRender(out, needed, t.model.native, bytesAsString(request), native)
	})
	return string(text), err
}

// use makes a native call with the template's options.
func use[T any](t *ChatTemplate, guess int, call func([]T, *uint64, uintptr) raw.Outcome) ([]T, error) {
	if err := t.model.enter(); err != nil {
		return nil, err
	}
	defer t.model.leave()
	o, err := newOptions(ChatOptions, t.list)
	if err != nil {
		return nil, err
	}
	defer o.free()
	return fill(guess, func(out []T, needed *uint64) raw.Outcome {
		return call(out, needed, raw.RawChatOptions(o.native))
	})
}

// ChatTemplateSource gives the source of the file's chat template of that name; "default" is the usual one.
// [ErrNotFound] when the file has none.
func (m *Model) ChatTemplateSource(name string) (string, error) {
	if err := checkName("the template's name", name); err != nil {
		return "", err
	}
	if err := m.enter(); err != nil {
		return "", err
	}
	defer m.leave()
	return fillText(func(out []byte, needed *uint64) raw.Outcome {
		return raw.LlmChatTemplate(out, needed, m.native, name)
	})
}

// ChatTemplateNames lists the chat templates of the file.
func (m *Model) ChatTemplateNames() ([]string, error) {
	if err := m.enter(); err != nil {
		return nil, err
	}
	defer m.leave()
	names := []string{}
	for {
		name, err := fillText(func(out []byte, needed *uint64) raw.Outcome {
			return raw.LlmChatTemplateName(out, needed, m.native, uint64(len(names)))
		})
		if errors.Is(err, ErrNotFound) {
			return names, nil
		}
		if err != nil {
			return nil, err
		}
		names = append(names, name)
	}
}
