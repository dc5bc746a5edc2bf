#include "unit/tokenizer/long_texts.h"

#include "base/utf8.h"

#undef BOOST_TEST_MODULE  // the test that uses this has the main program
#include <boost/test/unit_test.hpp>

#include <pthread.h>

#include <atomic>
#include <cstdlib>
#include <ctime>
#include <exception>
#include <functional>
#include <new>
#include <string>
#include <string_view>

namespace {

// Bytes in use, as the program asked for them; each block remembers its size in front.
constexpr size_t header = 16;
std::atomic<size_t> bytes_in_use;
std::atomic<size_t> most_bytes_in_use;

}  // namespace

// Visible, because the shared libraries of the program use them too.
#define LLM_TEST_VISIBLE __attribute__((visibility("default")))

LLM_TEST_VISIBLE void *operator new(size_t size) {
    auto *block = static_cast<char *>(std::malloc(size + header));
    if (block == nullptr) throw std::bad_alloc();
    *reinterpret_cast<size_t *>(block) = size;
    const size_t now = bytes_in_use += size;
    if (now > most_bytes_in_use) most_bytes_in_use = now;
    return block + header;
}

LLM_TEST_VISIBLE void operator delete(void *pointer) noexcept {
    if (pointer == nullptr) return;
    char *block = static_cast<char *>(pointer) - header;
    bytes_in_use -= *reinterpret_cast<size_t *>(block);
    std::free(block);
}

LLM_TEST_VISIBLE void operator delete(void *pointer, size_t) noexcept { operator delete(pointer); }

namespace llm::test {

namespace {

constexpr size_t stack_size = 256u << 10;
constexpr double most_seconds = 2.0;
constexpr size_t most_bytes_for_each = 48;

#if defined(__OPTIMIZE__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
constexpr bool is_timed = true;
#else
constexpr bool is_timed = false;
#endif
constexpr size_t text_size = is_timed ? 10u << 20 : 1u << 20;

std::string repeated(std::string_view unit, std::string_view end) {
    std::string text;
    text.reserve(text_size + unit.size() + end.size());
    while (text.size() < text_size) text += unit;
    return text.append(end);
}

void on_small_stack(std::function<void()> action) {
    struct Call {
        std::function<void()> action;
        std::exception_ptr error;
    } call = {std::move(action), nullptr};
    const auto run = [](void *pointer) -> void * {
        auto &running = *static_cast<Call *>(pointer);
        try {
            running.action();
        } catch (...) {
            running.error = std::current_exception();
        }
        return nullptr;
    };
    pthread_attr_t attributes;
    pthread_t thread;
    pthread_attr_init(&attributes);
    BOOST_REQUIRE_EQUAL(pthread_attr_setstacksize(&attributes, stack_size), 0);
    BOOST_REQUIRE_EQUAL(pthread_create(&thread, &attributes, run, &call), 0);
    pthread_join(thread, nullptr);
    pthread_attr_destroy(&attributes);
    if (call.error) std::rethrow_exception(call.error);
}

double processor_seconds() {
    timespec time = {};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

bool keeps(TokenizerKind kind) {
    return kind == TokenizerKind::byte_pairs || kind == TokenizerKind::character_pairs ||
           kind == TokenizerKind::sentence_pieces;
}

void check(const Tokenizer &tokenizer, const std::string &text) {
    // Other work on the machine can slow down any one try, but makes none faster.
    constexpr int tries = 3;
    double seconds = 0.0;
    size_t bytes = 0;
    std::string back;
    for (int i = 0; i == 0 || (is_timed && i < tries && seconds >= most_seconds); ++i) {
        on_small_stack([&] {
            const size_t before = bytes_in_use;
            most_bytes_in_use = before;
            const double start = processor_seconds();
            const std::vector<llm_token> tokens = tokenizer.tokenize(text, false, true);
            seconds = processor_seconds() - start;
            bytes = most_bytes_in_use - before;
            back = tokenizer.detokenize(tokens, true);
        });
    }
    BOOST_TEST((seconds < most_seconds || !is_timed), seconds << " seconds");
    BOOST_TEST(bytes <= most_bytes_for_each * text.size(), bytes << " bytes for " << text.size());
    if (keeps(tokenizer.vocabulary().kind()) && well_formed_utf8_prefix(text) == text.size())
        BOOST_TEST((back == text));
}

}  // namespace

void check_long_texts(const Tokenizer &tokenizer) {
    constexpr std::pair<std::string_view, std::string_view> texts[] = {{"A", ""},
                                                                       {"a", "b"},
                                                                       {"us", ""},
                                                                       {" ", ""},
                                                                       {" ", "x"},
                                                                       {" ", "\u4E2D"},
                                                                       {"\n", ""},
                                                                       {"\t", "x"},
                                                                       {"7", ""},
                                                                       {"7", "x"},
                                                                       {"!", ""},
                                                                       {"'", ""},
                                                                       {"\U0001F600", ""},
                                                                       {"\u4E2D", ""},
                                                                       {"e\u0301", ""},
                                                                       {"\u00A0", "x"},
                                                                       {"\xFF", ""},
                                                                       {"\xE2\x82", ""},
                                                                       {"a \n", ""},
                                                                       {std::string_view("\0", 1), ""},
                                                                       {"<|im_end|>", ""},
                                                                       {"<|im_e", ""},
                                                                       {"The quick brown fox ", ""}};
    for (const auto &[unit, end] : texts) {
        BOOST_TEST_CONTEXT("text of '" << unit << "' and then '" << end << "'") {
            check(tokenizer, repeated(unit, end));
        }
    }
}

}  // namespace llm::test
