// Damage in the tensor directory and the data: G32 to G47.
#include "base/log.h"
#include "fault/fault.h"
#include "gguf/gguf_file.h"

#include <boost/test/unit_test.hpp>

#include <string>

using namespace llm;
using namespace llm::test;

namespace {

constexpr uint64_t two_to_63 = uint64_t{1} << 63;
constexpr uint32_t f32 = 0, q4_0 = 2, q8_0 = 8, q4_k = 12, i8 = 24;

// Three tensors of 64, 68 and 16 bytes, at 0, 64 and 160 of the data.
GgufBuilder small_file() {
    GgufBuilder builder;
    builder.set("general.architecture", "llama");
    builder.add_tensor("alpha", {4, 4}, f32, std::vector<uint8_t>(64, 1));
    builder.add_tensor("beta", {32, 2}, q8_0, std::vector<uint8_t>(68, 2));
    builder.add_tensor("gamma", {16}, i8, std::vector<uint8_t>(16, 3));
    return builder;
}

template <class T>
std::vector<uint8_t> patched(const std::string &place, T value, size_t shift = 0) {
    return small_file().build().patch(place, value, shift).bytes;
}

std::vector<uint8_t> one_tensor(std::vector<uint64_t> dimensions, uint32_t type, size_t bytes) {
    return GgufBuilder().add_tensor("t", std::move(dimensions), type, std::vector<uint8_t>(bytes)).bytes();
}

}  // namespace

BOOST_AUTO_TEST_CASE(the_unchanged_file_loads) { check_loads(small_file().bytes()); }

BOOST_AUTO_TEST_CASE(g32_name_lengths) {
    const auto with_name = [](const std::string &name) { return GgufBuilder().add_tensor(name, {1}, i8, {0}).bytes(); };
    check_refused(with_name(""), LLM_ERROR_MALFORMED, "empty tensor name at offset 24");
    for (const size_t length : {1, 64, 65, 255}) check_loads(with_name(std::string(length, 'n')));
    check_refused(with_name(std::string(256, 'n')), LLM_ERROR_MALFORMED, "has 256 bytes, at most 255");
    check_refused(patched("tensor:alpha/length", ~uint64_t{0}), LLM_ERROR_MALFORMED, "18446744073709551615 bytes");
    const auto short_file = GgufBuilder().add_tensor("t", {1}, i8, {0}).align(1).build();
    check_refused(BuiltGguf(short_file).patch("tensor:t/length", short_file.bytes.size() - 31).bytes,
                  LLM_ERROR_TRUNCATED, "tensor name at offset 32");
}

BOOST_AUTO_TEST_CASE(g33_names) {
    check_refused(GgufBuilder(small_file()).add_tensor("beta", {1}, i8, {0}).bytes(), LLM_ERROR_MALFORMED,
                  "duplicate tensor 'beta'");
    check_refused(patched("tensor:alpha/name", uint8_t{0}, 2), LLM_ERROR_MALFORMED, "'al\\x00ha'");
    check_refused(patched("tensor:alpha/name", uint8_t{'\n'}, 2), LLM_ERROR_MALFORMED, "'al\\x0aha'");
    check_refused(patched("tensor:alpha/name", uint8_t{0xff}, 2), LLM_ERROR_MALFORMED, "'al\\xffha'");
}

BOOST_AUTO_TEST_CASE(g34_dimension_counts) {
    for (const uint32_t count : {0u, 5u, 8u, 0x80000000u, 0xffffffffu}) {
        check_refused(patched("tensor:alpha/dimension_count", count), LLM_ERROR_MALFORMED,
                      "tensor 'alpha' has " + std::to_string(count) + " dimensions");
    }
    check_loads(one_tensor({2}, f32, 8));
    check_loads(one_tensor({2, 1, 3, 2}, f32, 48));
}

BOOST_AUTO_TEST_CASE(g35_zero_dimensions) {
    for (size_t i = 0; i < 4; ++i) {
        std::vector<uint64_t> dimensions = {32, 2, 2, 2};
        check_loads(one_tensor(dimensions, q8_0, 8 * 34));
        dimensions[i] = 0;
        check_refused(one_tensor(dimensions, q8_0, 8 * 34), LLM_ERROR_MALFORMED,
                      "dimension " + std::to_string(i) + " of tensor 't'");
    }
}

BOOST_AUTO_TEST_CASE(g36_g37_sizes_that_wrap) {
    const auto check = [](std::vector<uint64_t> dimensions, uint32_t type, std::string_view shape) {
        check_refused(one_tensor(std::move(dimensions), type, 64), LLM_ERROR_MALFORMED, shape);
    };
    check({two_to_63}, f32, "shape [9223372036854775808]");
    check({~uint64_t{0}}, f32, "shape [18446744073709551615]");
    check({uint64_t{1} << 32, uint64_t{1} << 32}, f32, "shape [4294967296, 4294967296]");
    check({65536, 65536, 65536, 65536}, f32, "shape [65536, 65536, 65536, 65536]");
    check({(uint64_t{1} << 42) + 1, uint64_t{1} << 22}, f32, "[4398046511105, 4194304]");
    check({two_to_63 / 2, 1, 1, 4}, f32, "[4611686018427387904, 1, 1, 4]");
    // The elements fit, the bytes do not.
    check({uint64_t{1} << 32, uint64_t{1} << 30}, f32, "shape [4294967296, 1073741824]");
    check({uint64_t{1} << 50}, f32, "is larger than any file");
    check({uint64_t{1} << 50}, q8_0, "is larger than any file");
    check_refused(one_tensor({uint64_t{1} << 40}, f32, 64), LLM_ERROR_TRUNCATED, "has 4398046511104 bytes");
}

BOOST_AUTO_TEST_CASE(g38_rows_of_broken_blocks) {
    check_refused(one_tensor({33}, q8_0, 68), LLM_ERROR_MALFORMED,
                  "tensor 't' of type Q8_0 at offset 45 has rows of 33 elements, which is no multiple of 32");
    check_refused(one_tensor({255, 256}, q4_k, 40000), LLM_ERROR_MALFORMED, "no multiple of 256");
    check_refused(one_tensor({257}, q4_k, 288), LLM_ERROR_MALFORMED, "no multiple of 256");
    check_refused(one_tensor({1}, q4_0, 18), LLM_ERROR_MALFORMED, "no multiple of 32");
    check_loads(one_tensor({256}, q4_k, 144));
    check_loads(one_tensor({512}, q4_k, 288));
    check_loads(one_tensor({1}, f32, 4));
}

BOOST_AUTO_TEST_CASE(g39_unknown_types_are_kept_for_the_model_to_refuse) {
    for (const uint32_t type : {4u, 5u, 31u, 32u, 33u, 36u, 37u, 38u, 40u, 200u, 0x80000000u, 0xffffffffu}) {
        const auto bytes = patched("tensor:beta/type", type);
        check_loads(bytes);
        const GgufTensor *tensor = GgufFile::parse(bytes).find_tensor("beta");
        BOOST_TEST(tensor);
    }
}

BOOST_AUTO_TEST_CASE(g41_misaligned_offsets) {
    for (const uint64_t offset : {uint64_t{1}, uint64_t{31}, uint64_t{63}, ~uint64_t{0}}) {
        check_refused(patched("tensor:beta/offset", offset), LLM_ERROR_MALFORMED,
                      "data offset " + std::to_string(offset) + " of tensor 'beta' is no multiple");
    }
    // In a gap, so that only the alignment is wrong.
    check_refused(patched("tensor:gamma/offset", uint64_t{136}), LLM_ERROR_MALFORMED,
                  "data offset 136 of tensor 'gamma' is no multiple of the alignment 32");
}

BOOST_AUTO_TEST_CASE(g42_offsets_beyond_the_file) {
    const uint64_t size = small_file().bytes().size();
    const uint64_t padded = (size + 31) / 32 * 32;
    check_refused(patched("tensor:gamma/offset", padded), LLM_ERROR_TRUNCATED,
                  "tensor 'gamma' at offset " + std::to_string(padded + small_file().build().places.at("data")));
    check_refused(patched("tensor:gamma/offset", uint64_t{192}), LLM_ERROR_TRUNCATED, "the file at");
    for (const uint64_t offset : {two_to_63, ~uint64_t{0} - 31, ~uint64_t{0} - 255}) {
        check_refused(patched("tensor:gamma/offset", offset), LLM_ERROR_MALFORMED, "is larger than any file");
    }
    // A type without a size must still start inside.
    auto built = small_file().build();
    built.patch("tensor:gamma/type", uint32_t{200}).patch("tensor:gamma/offset", padded);
    check_refused(built.bytes, LLM_ERROR_TRUNCATED, "tensor 'gamma'");
}

BOOST_AUTO_TEST_CASE(g43_overlaps) {
    check_refused(patched("tensor:beta/offset", uint64_t{32}), LLM_ERROR_MALFORMED, "overlaps tensor 'alpha'");
    check_refused(patched("tensor:gamma/offset", uint64_t{128}), LLM_ERROR_MALFORMED,
                  "tensor 'gamma' at offset " + std::to_string(small_file().build().places.at("data") + 128) +
                      " overlaps tensor 'beta'");
    check_refused(patched("tensor:beta/offset", uint64_t{0}), LLM_ERROR_MALFORMED, "overlaps");
    check_refused(patched("tensor:gamma/offset", uint64_t{0}), LLM_ERROR_MALFORMED, "overlaps");
}

BOOST_AUTO_TEST_CASE(g44_order_gaps_and_padding_are_free) {
    GgufBuilder builder;
    builder.add_tensor("first", {4}, f32, std::vector<uint8_t>(16))
        .add_tensor("gap", {96}, i8, std::vector<uint8_t>(96));
    builder.add_tensor("last", {4}, f32, std::vector<uint8_t>(16)).fill_gaps_with(0xff);
    auto built = builder.build();
    check_loads(built.bytes);
    built.patch("tensor:first/offset", uint64_t{128}).patch("tensor:last/offset", uint64_t{0});
    check_loads(built.bytes);  // descending
    built.patch("tensor:gap/dimensions", uint64_t{32});
    check_loads(built.bytes);  // with a gap of 64 bytes
}

BOOST_AUTO_TEST_CASE(g45_trailing_bytes) {
    std::vector<std::string> lines;
    const auto add_line = [](void *user, llm_log_level, const char *text, size_t length) {
        static_cast<std::vector<std::string> *>(user)->emplace_back(text, length);
    };
    auto bytes = small_file().bytes();
    set_log(add_line, &lines, LLM_LOG_INFO);
    check_loads(bytes);
    BOOST_TEST(lines.empty());
    const size_t padding = (32 - bytes.size() % 32) % 32;
    bytes.insert(bytes.end(), padding + 1000, 0xab);
    check_loads(bytes);
    set_log(nullptr, nullptr, LLM_LOG_INFO);
    BOOST_TEST(lines == std::vector<std::string>{"the file has 1000 bytes behind its last tensor"},
               boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(g46_no_tensors_and_no_padding) {
    GgufBuilder builder;
    builder.set("general.architecture", "llama").align(1);
    const auto bytes = builder.bytes();
    BOOST_TEST(bytes.size() % 32 != 0);
    check_loads(bytes);
}

BOOST_AUTO_TEST_CASE(g47_cut_data) {
    const auto built = small_file().build();
    const size_t data = built.places.at("data");
    const auto cut = [&](size_t size) {
        return std::vector<uint8_t>(built.bytes.begin(), built.bytes.begin() + static_cast<ptrdiff_t>(size));
    };
    const std::string at_alpha = std::to_string(data), alpha_end = std::to_string(data + 64);
    check_refused(cut(data), LLM_ERROR_TRUNCATED,
                  "the file is truncated: tensor 'alpha' at offset " + at_alpha + " has 64 bytes and ends at " +
                      alpha_end + ", the file at " + at_alpha);
    check_refused(cut(data + 63), LLM_ERROR_TRUNCATED, "tensor 'alpha'");
    check_refused(cut(data + 100), LLM_ERROR_TRUNCATED, "tensor 'beta'");
    check_refused(cut(built.bytes.size() - 1), LLM_ERROR_TRUNCATED, "tensor 'gamma'");
}
