// Damage at the start of a file: G01 to G13.
#include "fault/fault.h"
#include "support/tiny_llama.h"

#include <boost/test/unit_test.hpp>

#include <string>

using namespace llm;
using namespace llm::test;

namespace {

constexpr uint64_t two_to_63 = uint64_t{1} << 63;

std::vector<uint8_t> bytes_of(std::string_view text) { return {text.begin(), text.end()}; }

// Small and with some of everything, for loops over all its bytes.
GgufBuilder mixed_file(uint32_t version) {
    GgufBuilder builder(version);
    builder.set("general.architecture", "llama").set("flag", true).set("number", 1.5);
    builder.set_strings("texts", {"one", "", "three"}).set_array<int16_t>("numbers", {1, 2, 3});
    ByteWriter nested;
    nested.put(uint32_t{0});
    GgufBuilder::put_length(nested, 2, version);
    nested.put(uint8_t{5}).put(uint8_t{6});
    builder.set_array_raw("nested", 9, 1, nested.bytes());
    builder.add_tensor("a", {32, 2}, 8, std::vector<uint8_t>(68)).add_tensor("b", {3}, 0, std::vector<uint8_t>(12));
    return builder;
}

}  // namespace

BOOST_AUTO_TEST_CASE(g01_empty_file) { check_refused({}, LLM_ERROR_TRUNCATED, "the file is empty"); }

BOOST_AUTO_TEST_CASE(g02_only_the_magic_number) {
    check_refused(bytes_of("GGUF"), LLM_ERROR_TRUNCATED, "version at offset 4 needs 4 bytes, 0 are left");
}

BOOST_AUTO_TEST_CASE(g03_every_prefix_is_truncated) {
    for (const uint32_t version : {1u, 2u, 3u}) {
        const auto bytes = mixed_file(version).bytes();
        check_loads(bytes);
        for (size_t size = 1; size < bytes.size(); ++size) {
            BOOST_TEST_CONTEXT("version " << version << ", first " << size << " bytes") {
                check_refused({bytes.begin(), bytes.begin() + static_cast<ptrdiff_t>(size)}, LLM_ERROR_TRUNCATED,
                              "the file is truncated: ");
            }
        }
    }
}

BOOST_AUTO_TEST_CASE(g03_every_prefix_of_a_models_header_is_truncated) {
    const auto built = tiny_llama().build();
    const size_t end = built.places.at("data") + 1;
    for (size_t size = 1; size <= end; ++size) {
        BOOST_TEST_CONTEXT("first " << size << " bytes") {
            check_refused({built.bytes.begin(), built.bytes.begin() + static_cast<ptrdiff_t>(size)},
                          LLM_ERROR_TRUNCATED, "the file is truncated: ");
        }
    }
}

BOOST_AUTO_TEST_CASE(g04_other_kinds_of_files) {
    const auto check = [](std::string_view content, std::string_view guess) {
        check_refused(bytes_of(content), LLM_ERROR_NOT_GGUF, guess);
    };
    check("tjgg\3\0\0\0some weights", "older format");
    check("lmgg\1\0\0\0some weights", "older format");
    check("ggjt", "older format");
    check("PK\3\4 and so on", "ZIP archive");
    check("<!DOCTYPE html><html>", "web page");
    check("<html><body>404", "web page");
    check("version https://git-lfs.github.com/spec/v1\noid sha256:0", "Git LFS pointer");
    check("\x1f\x8b\x08", "gzip");
    check(std::string_view("\x40\0\0\0\0\0\0\0{\"__metadata__\"", 23), "safetensors");
    check("{\"error\":\"not found\"}", "JSON");
    check("random bytes", "no known format");
    check("GGUX", "no known format");
    check("x", "no known format");
}

BOOST_AUTO_TEST_CASE(g05_reversed_magic_number) { check_refused(bytes_of("FUGG"), LLM_ERROR_NOT_GGUF, "byte order"); }

BOOST_AUTO_TEST_CASE(g06_to_g08_versions) {
    const auto with_version = [](uint32_t version) { return mixed_file(3).build().patch("version", version).bytes; };
    check_refused(with_version(0), LLM_ERROR_UNSUPPORTED, "version 0 is not in this build, which reads 1 to 3");
    check_refused(with_version(4), LLM_ERROR_UNSUPPORTED, "version 4 is newer than this build, which reads 1 to 3");
    check_refused(with_version(0x80000000u), LLM_ERROR_UNSUPPORTED, "version 2147483648 is newer");
    check_refused(with_version(0xffffffffu), LLM_ERROR_UNSUPPORTED, "version 4294967295 is newer");
    check_refused(with_version(0x03000000u), LLM_ERROR_UNSUPPORTED, "big-endian");
    check_loads(with_version(2));  // the same layout as 3
}

BOOST_AUTO_TEST_CASE(g09_a_version_that_is_not_the_bodys) {
    BOOST_TEST(check_survives(mixed_file(3).build().patch("version", uint32_t{1}).bytes) != LLM_OK);
    BOOST_TEST(check_survives(mixed_file(1).build().patch("version", uint32_t{3}).bytes) != LLM_OK);
}

BOOST_AUTO_TEST_CASE(g10_g11_counts_beyond_the_file) {
    for (const std::string place : {"tensor_count", "key_count"}) {
        const std::string name = place == "key_count" ? "key count" : "tensor count";
        const auto with_count = [&](uint64_t count) { return tiny_llama().build().patch(place, count).bytes; };
        const auto size = tiny_llama().bytes().size();
        for (const uint64_t count : {~uint64_t{0}, two_to_63, (uint64_t{1} << 61) + 1, ~uint64_t{0} / 96,
                                     ~uint64_t{0} / 96 + 1, ~uint64_t{0} / 33, uint64_t{1} << 48}) {
            check_refused(with_count(count), LLM_ERROR_MALFORMED, name + " at offset");
            check_refused(with_count(count), LLM_ERROR_MALFORMED, "is " + std::to_string(count) + ", more than any");
        }
        check_refused(with_count(size), LLM_ERROR_TRUNCATED, name + " at offset");
        // Room for that many, but more than are read at all.
        auto long_file = with_count(140'000);
        long_file.insert(long_file.end(), 5'000'000, 0);
        check_refused(long_file, LLM_ERROR_UNSUPPORTED, "the file has 140000 ");
    }
    const auto version_1 = [](const char *place) {
        return mixed_file(1).build().patch(place, uint32_t{0xffffffff}).bytes;
    };
    check_refused(version_1("tensor_count"), LLM_ERROR_TRUNCATED, "tensor count at offset 8 is 4294967295");
    check_refused(version_1("key_count"), LLM_ERROR_TRUNCATED, "key count at offset 12 is 4294967295");
}

BOOST_AUTO_TEST_CASE(g12_g13_one_more_or_less_than_present) {
    const auto built = tiny_llama().build();
    const auto with = [&](const char *place, uint64_t count) { return BuiltGguf(built).patch(place, count).bytes; };
    check_loads(with("tensor_count", 12));
    check_loads(with("tensor_count", 11));
    BOOST_TEST(check_survives(with("tensor_count", 13)) != LLM_OK);
    check_loads(with("key_count", 21));
    BOOST_TEST(check_survives(with("key_count", 20)) != LLM_OK);
    BOOST_TEST(check_survives(with("key_count", 22)) != LLM_OK);
}
