// Counts memory and time while a file is parsed, and uses everything that came of it.
#include "fault/fault.h"

#include "gguf/gguf_file.h"

#undef BOOST_TEST_MODULE  // main() comes from the file with the cases
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <ctime>
#include <new>
#include <string>

#include <malloc.h>

namespace {

// Bytes that operator new has given out now, and the most at any time since the last reset. One thread only.
size_t allocated = 0;
size_t most_allocated = 0;

void *try_allocate(size_t size) noexcept {
    void *memory = std::malloc(size == 0 ? 1 : size);
    if (!memory) return nullptr;
    allocated += malloc_usable_size(memory);
    most_allocated = std::max(most_allocated, allocated);
    return memory;
}

void *allocate(size_t size) {
    if (void *memory = try_allocate(size)) return memory;
    throw std::bad_alloc();
}

void release(void *memory) noexcept {
    if (!memory) return;
    allocated -= malloc_usable_size(memory);
    std::free(memory);
}

}  // namespace

void *operator new(size_t size) { return allocate(size); }
void *operator new[](size_t size) { return allocate(size); }
void *operator new(size_t size, const std::nothrow_t &) noexcept { return try_allocate(size); }
void *operator new[](size_t size, const std::nothrow_t &) noexcept { return try_allocate(size); }
void operator delete(void *memory) noexcept { release(memory); }
void operator delete[](void *memory) noexcept { release(memory); }
void operator delete(void *memory, size_t) noexcept { release(memory); }
void operator delete[](void *memory, size_t) noexcept { release(memory); }

namespace llm::test {

namespace {

struct Outcome {
    llm_status status = LLM_OK;
    std::string text;
};

// Uses everything that a parsed file offers, so that a wrong offset in it would show.
void visit(const GgufFile &file) {
    for (const GgufKey &key : file.keys()) {
        BOOST_TEST(file.find_key(key.name) == &key);
        const GgufValue value = file.value(key.name);
        for (uint64_t i = 0; i < std::min<uint64_t>(value.count, 1000); ++i) {
            if (value.type == ValueType::array) file.element(key.name, std::array{i});
        }
        if (value.type == ValueType::array && key.element_type == ValueType::string) {
            const GgufStrings strings = file.get_strings(key.name);
            size_t bytes = 0;
            for (size_t i = 0; i < strings.size(); ++i) bytes += strings[i].size();
            BOOST_TEST(bytes <= file.file_size());
        }
    }
    for (const GgufTensor &tensor : file.tensors()) {
        BOOST_TEST(file.find_tensor(tensor.name) == &tensor);
        BOOST_TEST(tensor.offset <= file.file_size());
        BOOST_TEST(tensor.byte_count <= file.file_size() - tensor.offset);
    }
}

Outcome parse(const std::vector<uint8_t> &bytes) {
    const std::clock_t start = std::clock();  // of this process, so that a busy machine changes nothing
    const size_t allocated_before = most_allocated = allocated;
    Outcome outcome;
    try {
        const GgufFile file = GgufFile::parse(bytes);
        BOOST_TEST(most_allocated - allocated_before <= bytes.size() + (16u << 20));
        visit(file);
    } catch (const Error &error) {
        BOOST_TEST(most_allocated - allocated_before <= bytes.size() + (16u << 20));
        outcome = {error.status(), error.what()};
        const bool one_line = std::ranges::all_of(outcome.text, [](char c) { return c >= 0x20 && c < 0x7f; });
        BOOST_TEST(one_line, outcome.text);
        BOOST_TEST(!outcome.text.empty());
        BOOST_TEST(outcome.text.size() < 500u);
    }
    BOOST_TEST(static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC < 1.0);
    return outcome;
}

}  // namespace

void check_refused(const std::vector<uint8_t> &bytes, llm_status status, std::string_view text,
                   std::source_location where) {
    BOOST_TEST_CONTEXT("case in line " << where.line()) {
        const Outcome outcome = parse(bytes);
        BOOST_TEST(outcome.status == status);
        BOOST_TEST((outcome.text.find(text) != std::string::npos),
                   "the text is \"" << outcome.text << "\", expected in it: \"" << text << "\"");
    }
}

void check_loads(const std::vector<uint8_t> &bytes, std::source_location where) {
    BOOST_TEST_CONTEXT("case in line " << where.line()) {
        const Outcome outcome = parse(bytes);
        BOOST_TEST(outcome.status == LLM_OK, outcome.text);
    }
}

llm_status check_survives(const std::vector<uint8_t> &bytes) {
    const Outcome outcome = parse(bytes);
    const bool expected = outcome.status == LLM_OK || outcome.status == LLM_ERROR_NOT_GGUF ||
                          outcome.status == LLM_ERROR_TRUNCATED || outcome.status == LLM_ERROR_MALFORMED ||
                          outcome.status == LLM_ERROR_UNSUPPORTED;
    BOOST_TEST(expected, "status " << outcome.status << ": " << outcome.text);
    return outcome.status;
}

}  // namespace llm::test
