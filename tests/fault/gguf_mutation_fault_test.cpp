// Random damage: G74. Every seed gives the same file on every machine.
#include "fault/fault.h"
#include "support/tiny_llama.h"

#include <boost/test/unit_test.hpp>

#include <chrono>
#include <random>

using namespace llm;
using namespace llm::test;

namespace {

constexpr auto time_limit = std::chrono::seconds(20);

// Values at which comparisons and products go wrong.
constexpr uint64_t odd_values[] = {0,
                                   1,
                                   2,
                                   3,
                                   4,
                                   8,
                                   9,
                                   13,
                                   255,
                                   256,
                                   65535,
                                   65536,
                                   0x7fffffff,
                                   0x80000000,
                                   0xffffffff,
                                   uint64_t{1} << 32,
                                   uint64_t{1} << 48,
                                   uint64_t{1} << 61,
                                   uint64_t{1} << 63,
                                   ~uint64_t{0},
                                   ~uint64_t{0} - 31};

class Mutator {
public:
    explicit Mutator(uint32_t seed) : random_(seed) {}

    // One change within the first `range` bytes, most often at a place where a field starts.
    void mutate(BuiltGguf &file, size_t range) {
        range = std::min(range, file.bytes.size());
        if (range == 0) return;
        size_t at = below(range);
        if (below(2) == 0)
            at = std::next(file.places.begin(), static_cast<ptrdiff_t>(below(file.places.size())))->second;
        switch (below(6)) {
            case 0:
                flip_bit(file, at);
                break;
            case 1:
                write(file, at, odd_values[below(std::size(odd_values))], 8);
                break;
            case 2:
                write(file, at, odd_values[below(std::size(odd_values))], 4);
                break;
            case 3:
                write(file, at, random_(), 1);
                break;
            case 4:
                file.bytes.resize(below(file.bytes.size() + 1));
                break;
            case 5:
                copy_within(file, at, below(range), 1 + below(64));
                break;
        }
    }

    size_t below(size_t limit) { return random_() % limit; }

private:
    static void flip_bit_at(std::vector<uint8_t> &bytes, size_t at, uint32_t bit) {
        bytes[at] = static_cast<uint8_t>(bytes[at] ^ (1u << bit));
    }
    void flip_bit(BuiltGguf &file, size_t at) {
        if (at < file.bytes.size()) flip_bit_at(file.bytes, at, random_() % 8);
    }
    static void write(BuiltGguf &file, size_t at, uint64_t value, size_t size) {
        for (size_t i = 0; i < size && at + i < file.bytes.size(); ++i) {
            file.bytes[at + i] = static_cast<uint8_t>(value >> (8 * i));
        }
    }
    static void copy_within(BuiltGguf &file, size_t to, size_t from, size_t count) {
        for (size_t i = 0; i < count && to + i < file.bytes.size() && from + i < file.bytes.size(); ++i) {
            file.bytes[to + i] = file.bytes[from + i];
        }
    }

    std::mt19937 random_;
};

// The tiny model without most of its data, so that a copy costs little.
BuiltGguf base_file(uint32_t version) {
    GgufBuilder builder(version);
    builder.set("general.architecture", "llama").set("general.alignment", uint32_t{32}).set("flag", true);
    builder.set("signed", int8_t{-1}).set("wide", uint64_t{1} << 40).set("real", 0.5).set("half", int16_t{2});
    builder.set_strings("tokens", {"a", "bc", "", "def"}).set_array<float>("scores", {0.0f, 1.0f, 2.0f, 3.0f});
    ByteWriter inner;
    for (int i = 0; i < 2; ++i) {
        inner.put(uint32_t{4});
        GgufBuilder::put_length(inner, 2, version);
        inner.put(uint32_t{1}).put(uint32_t{2});
    }
    builder.set_array_raw("nested", array_type_number, 2, inner.bytes());
    builder.add_tensor("a", {256, 2}, 12, std::vector<uint8_t>(288))
        .add_tensor("b", {32, 3}, 8, std::vector<uint8_t>(102));
    builder.add_tensor("c", {5}, 0, std::vector<uint8_t>(20));
    return builder.build();
}

}  // namespace

BOOST_AUTO_TEST_CASE(g74_random_mutations_of_a_small_file) {
    const BuiltGguf bases[] = {base_file(1), base_file(2), base_file(3)};
    const auto start = std::chrono::steady_clock::now();
    std::map<llm_status, int> outcomes;
    for (uint32_t seed = 0; seed < 30'000 && std::chrono::steady_clock::now() - start < time_limit; ++seed) {
        BOOST_TEST_CONTEXT("seed " << seed) {
            Mutator mutator(seed);
            BuiltGguf file = bases[seed % 3];
            for (size_t changes = 1 + mutator.below(3); changes > 0; --changes) {
                mutator.mutate(file, file.bytes.size());
            }
            ++outcomes[check_survives(file.bytes)];
        }
    }
    // The mutations must not all stop at the door.
    for (const llm_status status : {LLM_OK, LLM_ERROR_TRUNCATED, LLM_ERROR_MALFORMED, LLM_ERROR_UNSUPPORTED}) {
        BOOST_TEST(outcomes[status] > 0);
    }
}

BOOST_AUTO_TEST_CASE(g74_every_bit_of_a_header) {
    BuiltGguf file = base_file(3);
    for (size_t at = 0; at < file.places.at("data"); ++at) {
        for (uint32_t bit = 0; bit < 8; ++bit) {
            const uint8_t before = file.bytes[at];
            file.bytes[at] = static_cast<uint8_t>(before ^ (1u << bit));
            BOOST_TEST_CONTEXT("byte " << at << ", bit " << bit) { check_survives(file.bytes); }
            file.bytes[at] = before;
        }
    }
}

BOOST_AUTO_TEST_CASE(g74_random_mutations_of_a_model) {
    const BuiltGguf model = tiny_llama().build();
    const auto start = std::chrono::steady_clock::now();
    for (uint32_t seed = 0; seed < 2000 && std::chrono::steady_clock::now() - start < time_limit; ++seed) {
        BOOST_TEST_CONTEXT("seed " << seed) {
            Mutator mutator(seed);
            BuiltGguf file = model;
            mutator.mutate(file, file.places.at("data"));
            mutator.mutate(file, file.places.at("data"));
            check_survives(file.bytes);
        }
    }
}
