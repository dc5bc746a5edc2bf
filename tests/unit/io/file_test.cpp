// Files, mappings and byte sources.
#include "base/error.h"
#include "io/byte_source.h"
#include "io/input_file.h"
#include "io/mapped_file.h"

#include <boost/test/unit_test.hpp>

#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <vector>

#ifndef _WIN32
#include <sys/stat.h>
#include <unistd.h>
#endif

using namespace llm;
namespace fs = std::filesystem;

namespace {

// A folder of its own for each test, gone afterwards.
struct TemporaryFolder {
    TemporaryFolder() : path(fs::temp_directory_path() / ("llm-file-test-" + std::to_string(std::random_device()()))) {
        fs::create_directory(path);
    }
    ~TemporaryFolder() {
        std::error_code ignored;
        fs::remove_all(path, ignored);
    }

    std::string write(const std::string &name, const std::vector<uint8_t> &bytes) const {
        std::ofstream out(path / name, std::ios::binary);
        out.write(reinterpret_cast<const char *>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
        return (path / name).string();
    }

    fs::path path;
};

std::vector<uint8_t> counting_bytes(size_t count) {
    std::vector<uint8_t> bytes(count);
    for (size_t i = 0; i < count; ++i) bytes[i] = static_cast<uint8_t>(i * 31 + i / 251);
    return bytes;
}

std::string open_failure(const std::string &path) {
    try {
        const InputFile file(path);
    } catch (const Error &error) {
        BOOST_TEST(error.status() == LLM_ERROR_IO);
        return error.what();
    }
    return "";
}

bool is_io_error(const Error &error) { return error.status() == LLM_ERROR_IO; }

void check_same(std::span<const uint8_t> found, std::span<const uint8_t> expected) {
    BOOST_CHECK_EQUAL_COLLECTIONS(found.begin(), found.end(), expected.begin(), expected.end());
}

}  // namespace

BOOST_FIXTURE_TEST_CASE(a_file_is_read_at_any_position, TemporaryFolder) {
    const auto bytes = counting_bytes(100'000);
    const InputFile file(write("some", bytes));
    BOOST_TEST(file.size() == bytes.size());
    std::vector<uint8_t> out(4096);
    for (const size_t offset : {size_t{0}, size_t{1}, size_t{50'001}, bytes.size() - out.size()}) {
        file.read_at(offset, out);
        check_same(out, std::span(bytes).subspan(offset, out.size()));
    }
    file.read_at(bytes.size(), {});
    const auto says_size = [](const Error &error) {
        return is_io_error(error) && std::string(error.what()).ends_with("the file has 100000");
    };
    BOOST_CHECK_EXCEPTION(file.read_at(bytes.size() - out.size() + 1, out), Error, says_size);
    BOOST_CHECK_EXCEPTION(file.read_at(UINT64_MAX, out), Error, says_size);
}

BOOST_FIXTURE_TEST_CASE(what_cannot_be_opened_says_why, TemporaryFolder) {
    const std::string missing = (path / "missing").string();
    BOOST_TEST(open_failure(missing).find("No such file or directory") != std::string::npos);
    BOOST_TEST(open_failure("").find("cannot open ''") != std::string::npos);
#ifndef _WIN32
    BOOST_TEST(open_failure(path.string()).find("it is a directory") != std::string::npos);
    const std::string pipe = (path / "pipe").string();
    BOOST_REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);
    BOOST_TEST(open_failure(pipe).find("it is a pipe") != std::string::npos);
    BOOST_TEST(open_failure("/dev/zero").find("it is a device") != std::string::npos);
    if (geteuid() != 0) {  // root may read everything
        const std::string closed = write("closed", {1});
        fs::permissions(closed, fs::perms::none);
        BOOST_TEST(open_failure(closed).find("Permission denied") != std::string::npos);
    }
#endif
}

BOOST_FIXTURE_TEST_CASE(files_move, TemporaryFolder) {
    InputFile first(write("first", {1, 2, 3}));
    InputFile second(std::move(first));
    std::vector<uint8_t> out(3);
    second.read_at(0, out);
    BOOST_TEST(out[2] == 3);
    InputFile third(write("third", {9}));
    third = std::move(second);
    BOOST_TEST(third.size() == 3u);

    MappedFile mapping(third);
    MappedFile moved(std::move(mapping));
    BOOST_TEST(mapping.bytes().empty());
    BOOST_TEST(moved.bytes()[1] == 2);
}

BOOST_FIXTURE_TEST_CASE(a_mapping_shows_the_file, TemporaryFolder) {
    const auto bytes = counting_bytes(30'000);
    const MappedFile mapping{InputFile(write("some", bytes))};  // outlives the file object
    for (const auto advice :
         {MappedFile::Advice::will_need, MappedFile::Advice::sequential, MappedFile::Advice::not_needed}) {
        mapping.advise(0, UINT64_MAX, advice);
        mapping.advise(5000, 9000, advice);
        mapping.advise(29'999, 1, advice);
        mapping.advise(30'000, 1, advice);
        mapping.advise(UINT64_MAX, UINT64_MAX, advice);
        check_same(mapping.bytes(), bytes);
    }
}

BOOST_FIXTURE_TEST_CASE(an_empty_file_is_a_file, TemporaryFolder) {
    const InputFile file(write("empty", {}));
    BOOST_TEST(file.size() == 0u);
    const MappedFile mapping(file);
    BOOST_TEST(mapping.bytes().size() == 0u);
    mapping.advise(0, 1, MappedFile::Advice::will_need);
}

#ifndef _WIN32
BOOST_FIXTURE_TEST_CASE(a_shrunk_file_is_an_error_when_read, TemporaryFolder) {
    const std::string name = write("some", counting_bytes(10'000));
    const InputFile file(name);
    fs::resize_file(name, 5000);
    std::vector<uint8_t> out(10'000);
    BOOST_CHECK_EXCEPTION(file.read_at(0, out), Error, [](const Error &error) {
        return is_io_error(error) && std::string(error.what()).find("shrank") != std::string::npos;
    });
}

BOOST_FIXTURE_TEST_CASE(renaming_another_file_over_it_is_harmless, TemporaryFolder) {
    const auto bytes = counting_bytes(5000);
    const auto source = open_file_source(write("some", bytes));
    fs::rename(write("other", {1}), path / "some");
    check_same(source->bytes(), bytes);
}
#endif

BOOST_FIXTURE_TEST_CASE(sources_of_both_kinds_give_the_same, TemporaryFolder) {
    const auto bytes = counting_bytes(10'000);
    const auto from_file = open_file_source(write("some", bytes));
    const auto from_memory = make_memory_source(bytes);
    for (const ByteSource *source : {from_file.get(), from_memory.get()}) {
        BOOST_TEST(source->size() == bytes.size());
        check_same(source->bytes(), bytes);
        BOOST_TEST(source->bytes().data() == source->bytes().data());
        std::vector<uint8_t> out(1000);
        source->copy_to(9000, out);
        check_same(out, std::span(bytes).subspan(9000));
        source->copy_to(10'000, {});
        BOOST_CHECK_EXCEPTION(source->copy_to(9001, out), Error, is_io_error);
        BOOST_CHECK_EXCEPTION(source->copy_to(UINT64_MAX - 10, out), Error, is_io_error);
    }
}
