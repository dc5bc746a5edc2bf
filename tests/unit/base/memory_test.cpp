// Aligned buffers and the arena.
#include "base/aligned_buffer.h"
#include "base/arena.h"
#include "base/error.h"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <sstream>
#include <string>

namespace {

bool all_zero(const void *data, size_t size) {
    const unsigned char *bytes = static_cast<const unsigned char *>(data);
    return std::all_of(bytes, bytes + size, [](unsigned char byte) { return byte == 0; });
}

template <class Pointer>
size_t misalignment(Pointer *pointer, size_t alignment) {
    return reinterpret_cast<uintptr_t>(pointer) % alignment;
}

// The error must have the status and name every given text.
auto error_with(llm_status status, std::string text) {
    return [=](const llm::Error &error) {
        BOOST_TEST_MESSAGE(error.what());
        return error.status() == status && std::string(error.what()).find(text) != std::string::npos;
    };
}

// Value in kB of a line of /proc/self/status, or 0.
size_t process_status(const std::string &key) {
    std::ifstream file("/proc/self/status");
    for (std::string line; std::getline(file, line);)
        if (line.starts_with(key + ":")) return std::stoul(line.substr(key.size() + 1));
    return 0;
}

// VmFlags of the mapping that holds the address; empty where there is no such file.
std::string mapping_flags(const void *address) {
    std::ifstream file("/proc/self/smaps");
    bool inside = false;
    for (std::string line; std::getline(file, line);) {
        unsigned long long first = 0;
        unsigned long long last = 0;
        if (std::sscanf(line.c_str(), "%llx-%llx ", &first, &last) == 2) {
            const uintptr_t wanted = reinterpret_cast<uintptr_t>(address);
            inside = first <= wanted && wanted < last;
        } else if (inside && line.starts_with("VmFlags:")) {
            return line + " ";
        }
    }
    return "";
}

}  // namespace

BOOST_AUTO_TEST_CASE(aligned_buffer_is_aligned_zero_and_padded_with_zeros) {
    for (const size_t count : {1, 3, 15, 16, 17, 1000}) {
        const llm::AlignedBuffer<float> buffer(count);
        BOOST_TEST(buffer.size() == count);
        BOOST_TEST(misalignment(buffer.data(), 64) == 0u);
        BOOST_TEST(all_zero(buffer.data(), (count * sizeof(float) + 63) / 64 * 64));
    }
    const llm::AlignedBuffer<float> none(0);
    BOOST_TEST(none.empty());
    BOOST_TEST((none.begin() == none.end()));
}

BOOST_AUTO_TEST_CASE(aligned_buffer_moves) {
    llm::AlignedBuffer<int> first(10);
    first[9] = 7;
    llm::AlignedBuffer<int> second(std::move(first));
    BOOST_TEST(first.size() == 0u);
    BOOST_TEST(first.data() == nullptr);
    BOOST_TEST(second.size() == 10u);
    BOOST_TEST(second[9] == 7);
    first = std::move(second);
    BOOST_TEST(second.size() == 0u);
    BOOST_TEST(first[9] == 7);
}

BOOST_AUTO_TEST_CASE(aligned_buffer_without_memory) {
    BOOST_CHECK_EXCEPTION(llm::AlignedBuffer<double>(SIZE_MAX / 16), llm::Error,
                          error_with(LLM_ERROR_NO_MEMORY, std::to_string(SIZE_MAX / 16 * 8) + " bytes"));
    for (const size_t count : {SIZE_MAX, SIZE_MAX / 8, SIZE_MAX / 8 + 1})
        BOOST_CHECK_EXCEPTION(llm::AlignedBuffer<double>{count}, llm::Error,
                              error_with(LLM_ERROR_NO_MEMORY, std::to_string(count)));
}

BOOST_AUTO_TEST_CASE(arena_is_aligned_and_zero) {
    for (const size_t size :
         {size_t{1}, size_t{4096}, llm::MemoryProvider::huge_page_size, llm::MemoryProvider::huge_page_size + 1}) {
        const llm::Arena arena(size, "a test");
        BOOST_TEST(arena.size() == size);
        BOOST_TEST(misalignment(arena.data(), llm::MemoryProvider::huge_page_size) == 0u);
        BOOST_TEST(all_zero(arena.data(), size));
        std::fill_n(arena.data(), size, std::byte{1});
    }
    BOOST_TEST(llm::Arena(0, "nothing").data() == nullptr);
}

BOOST_AUTO_TEST_CASE(arena_gives_arrays_one_after_the_other) {
    llm::Arena arena(1000, "a test");
    const std::span<char> first = arena.take<char>(1);
    const std::span<double> second = arena.take<double>(9);
    BOOST_TEST(first.size() == 1u);
    BOOST_TEST(second.size() == 9u);
    BOOST_TEST(static_cast<void *>(first.data()) == static_cast<void *>(arena.data()));
    BOOST_TEST(static_cast<void *>(second.data()) == static_cast<void *>(arena.data() + 64));
    BOOST_TEST(arena.used() == 64u + 128u);
    BOOST_TEST(arena.take<char>(0).size() == 0u);
    BOOST_TEST(arena.used() == 64u + 128u);
}

BOOST_AUTO_TEST_CASE(arena_can_be_filled_to_its_end_and_no_further) {
    const size_t size = llm::Arena::footprint<float>(17) + llm::Arena::footprint<char>(64);
    BOOST_TEST(size == 128u + 64u);
    llm::Arena arena(size, "a test");
    arena.take<float>(17);
    BOOST_CHECK_EXCEPTION(arena.take<char>(65), llm::Error, error_with(LLM_ERROR_INTERNAL, "128 wanted"));
    arena.take<char>(64);
    BOOST_CHECK_EXCEPTION(arena.take<char>(1), llm::Error, error_with(LLM_ERROR_INTERNAL, "0 bytes left"));
    BOOST_CHECK_EXCEPTION(arena.take<double>(SIZE_MAX / 4), llm::Error, error_with(LLM_ERROR_INTERNAL, "wanted"));
}

BOOST_AUTO_TEST_CASE(arena_moves) {
    llm::Arena first(100, "a test");
    first.take<int>(1)[0] = 5;
    llm::Arena second(std::move(first));
    BOOST_TEST(first.data() == nullptr);
    BOOST_TEST(second.used() == 64u);
    llm::Arena third;
    third = std::move(second);
    BOOST_TEST(*reinterpret_cast<int *>(third.data()) == 5);
}

BOOST_AUTO_TEST_CASE(arena_without_memory) {
    for (const size_t size : {SIZE_MAX, SIZE_MAX / 2, llm::Arena::footprint<double>(SIZE_MAX)})
        BOOST_CHECK_EXCEPTION(llm::Arena(size, "the cache"), llm::Error,
                              error_with(LLM_ERROR_NO_MEMORY, std::to_string(size) + " bytes for the cache"));
}

BOOST_AUTO_TEST_CASE(arena_uses_memory_only_where_it_is_touched) {
    const size_t before = process_status("VmRSS");
    if (before == 0) {
        std::printf("SKIPPED: no VmRSS in /proc/self/status\n");
        return;
    }
    const llm::Arena arena(size_t{512} << 20, "a test");
    arena.data()[size_t{256} << 20] = std::byte{1};
    BOOST_TEST(process_status("VmRSS") < before + 64 * 1024);
}

BOOST_AUTO_TEST_CASE(arena_asks_for_huge_pages) {
    const llm::Arena large(3 * llm::MemoryProvider::huge_page_size, "a test");
    const llm::Arena small(llm::MemoryProvider::huge_page_size / 2, "a test");
    const std::string flags = mapping_flags(large.data());
    if (flags.empty() || !std::ifstream("/sys/kernel/mm/transparent_hugepage/enabled")) {
        std::printf("SKIPPED: no VmFlags in /proc/self/smaps, or no huge pages\n");
        return;
    }
    BOOST_TEST(flags.find(" hg ") != flags.npos);
    BOOST_TEST(mapping_flags(large.data() + large.size() - 1).find(" hg ") != flags.npos);
    BOOST_TEST(mapping_flags(small.data()).find(" hg ") == flags.npos);
}
