#include "tokenizer/regex.h"

#include "base/error.h"

#include <algorithm>
#include <cctype>
#include <new>

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

namespace llm {

namespace {

// White_Space of the Unicode standard, as the inside of a class.
constexpr std::string_view white_space =
    R"(\t-\r \x{85}\x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000})";

constexpr std::string_view ignore_case = "(?i:";

// Every pattern in use takes a few steps for each byte; these limits are for the day when one does not.
constexpr size_t steps_for_each_byte = 64;
constexpr size_t least_steps = 10'000'000;
constexpr size_t most_heap_kib = 256 * 1024;
constexpr size_t first_stack = 32 * 1024;
constexpr size_t most_stack = 4 * 1024 * 1024;

void append_both_cases(std::string &out, std::string_view group) {
    for (const char character : group) {
        const auto byte = static_cast<unsigned char>(character);
        if (std::isalpha(byte)) {
            out.push_back('[');
            out.push_back(static_cast<char>(std::tolower(byte)));
            out.push_back(static_cast<char>(std::toupper(byte)));
            out.push_back(']');
        } else {
            out.push_back(character);
        }
    }
}

}  // namespace

std::string pcre2_pattern(std::string_view pattern) {
    std::string out;
    bool in_class = false;
    while (!pattern.empty()) {
        size_t taken = 1;
        if (pattern.starts_with("\\s") || pattern.starts_with("\\S")) {
            taken = 2;
            if (!in_class) out.append(pattern[1] == 's' ? "[" : "[^");
            out.append(white_space);
            if (!in_class) out.push_back(']');
        } else if (pattern.front() == '\\' && pattern.size() > 1) {
            taken = 2;
            out.append(pattern.substr(0, taken));
        } else if (!in_class && pattern.starts_with(ignore_case)) {
            taken = std::min(pattern.find(')'), pattern.size());
            out.append("(?:");
            append_both_cases(out, pattern.substr(ignore_case.size(), taken - ignore_case.size()));
        } else {
            if (pattern.front() == '[') in_class = true;
            if (pattern.front() == ']') in_class = false;
            out.push_back(pattern.front());
        }
        pattern.remove_prefix(taken);
    }
    return out;
}

std::string regex_unicode_version() {
    char text[64] = "";
    pcre2_config(PCRE2_CONFIG_UNICODE_VERSION, text);
    return text;
}

RegexScratch::RegexScratch(size_t text_size)
    : match_(pcre2_match_data_create(1, nullptr)), context_(pcre2_match_context_create(nullptr)) {
    if (match_ == nullptr || context_ == nullptr) {
        pcre2_match_data_free(match_);
        pcre2_match_context_free(context_);
        throw std::bad_alloc();
    }
    const size_t steps = std::max(least_steps, text_size * steps_for_each_byte);
    pcre2_set_match_limit(context_, static_cast<uint32_t>(std::min<size_t>(steps, UINT32_MAX)));
    pcre2_set_heap_limit(context_, most_heap_kib);
}

RegexScratch::~RegexScratch() {
    pcre2_match_data_free(match_);
    pcre2_match_context_free(context_);
    pcre2_jit_stack_free(stack_);
}

Regex::Regex(std::string_view pattern, RegexEngine engine) {
    const std::string translated = pcre2_pattern(pattern);
    int error = 0;
    PCRE2_SIZE offset = 0;
    code_ = pcre2_compile(reinterpret_cast<PCRE2_SPTR>(translated.data()), translated.size(), PCRE2_UTF, &error,
                          &offset, nullptr);
    if (code_ == nullptr)
        fail(LLM_ERROR_INTERNAL, "pattern ", quoted(pattern), " is refused: code ", error, " at ", offset);
    compiled_to_machine_code_ =
        engine == RegexEngine::machine_code && pcre2_jit_compile(code_, PCRE2_JIT_COMPLETE) == 0;
}

Regex::~Regex() { pcre2_code_free(code_); }

Regex::Regex(Regex &&other) noexcept
    : code_(std::exchange(other.code_, nullptr)), compiled_to_machine_code_(other.compiled_to_machine_code_) {}

int Regex::run(RegexScratch &scratch, std::string_view text, size_t from) const {
    const auto subject = reinterpret_cast<PCRE2_SPTR>(text.data());
    constexpr uint32_t options = PCRE2_NO_UTF_CHECK | PCRE2_NOTEMPTY;
    if (compiled_to_machine_code_) {
        const auto match = [&] {
            return pcre2_jit_match(code_, subject, text.size(), from, options, scratch.match_, scratch.context_);
        };
        int result = match();
        if (result == PCRE2_ERROR_JIT_STACKLIMIT && scratch.stack_ == nullptr) {
            scratch.stack_ = pcre2_jit_stack_create(first_stack, most_stack, nullptr);
            pcre2_jit_stack_assign(scratch.context_, nullptr, scratch.stack_);
            result = match();
        }
        if (result != PCRE2_ERROR_JIT_STACKLIMIT) return result;
    }
    return pcre2_match(code_, subject, text.size(), from, options | PCRE2_NO_JIT, scratch.match_, scratch.context_);
}

bool Regex::find(Match &out, RegexScratch &scratch, std::string_view text, size_t from) const {
    const int result = run(scratch, text, from);
    if (result == PCRE2_ERROR_NOMATCH) return false;
    if (result < 0) {
        fail(LLM_ERROR_LIMIT, "the pre-tokenizer's pattern cannot be matched at byte ", from, " of ", text.size(),
             ": PCRE2 code ", result);
    }
    const PCRE2_SIZE *bounds = pcre2_get_ovector_pointer(scratch.match_);
    out = {bounds[0], bounds[1]};
    return true;
}

}  // namespace llm
