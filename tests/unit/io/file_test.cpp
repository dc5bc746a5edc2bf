// Files, mappings and byte sources.
#include "base/error.h"
#include "io/byte_source.h"
#include "io/input_file.h"
#include "io/mapped_file.h"
#include "support/temporary_folder.h"

#include <boost/test/unit_test.hpp>

#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <vector>

#ifndef _WIN32
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#endif

using namespace llm;
using llm::test::TemporaryFolder;
namespace fs = std::filesystem;

namespace {

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
// A descriptor that is closed at the end.
struct Descriptor {
    explicit Descriptor(const std::string &path) : number(::open(path.c_str(), O_RDONLY)) {}
    ~Descriptor() { ::close(number); }
    const int number;
};

BOOST_FIXTURE_TEST_CASE(a_part_of_an_open_file_is_a_file, TemporaryFolder) {
    const auto bytes = counting_bytes(30'000);
    const std::string name = write("bundle", bytes);
    for (const size_t offset : {size_t{0}, size_t{1}, size_t{4096}, size_t{9001}}) {
        for (const size_t size : {size_t{0}, size_t{1}, size_t{20'000}}) {
            auto descriptor = std::make_unique<Descriptor>(name);
            ::lseek(descriptor->number, 77, SEEK_SET);
            const auto source = open_descriptor_source(descriptor->number, offset, size);
            BOOST_TEST(::lseek(descriptor->number, 0, SEEK_CUR) == 77);
            descriptor.reset();
            const auto expected = std::span(bytes).subspan(offset, size != 0 ? size : bytes.size() - offset);
            BOOST_TEST(source->size() == expected.size());
            std::vector<uint8_t> read(expected.size());
            source->copy_to(0, read);
            check_same(read, expected);
            check_same(source->bytes(), expected);
            BOOST_CHECK_EXCEPTION(source->copy_to(1, read), Error, is_io_error);
        }
    }
}

BOOST_FIXTURE_TEST_CASE(hints_about_a_part_of_a_file_are_harmless, TemporaryFolder) {
    const auto bytes = counting_bytes(30'000);
    const Descriptor descriptor(write("bundle", bytes));
    const MappedFile mapping{InputFile(descriptor.number, 5001, 20'000)};
    for (const auto advice : {MappedFile::Advice::will_need, MappedFile::Advice::not_needed}) {
        mapping.advise(0, UINT64_MAX, advice);
        mapping.advise(19'999, 1, advice);
        check_same(mapping.bytes(), std::span(bytes).subspan(5001, 20'000));
    }
}

BOOST_FIXTURE_TEST_CASE(descriptors_that_are_no_file_are_refused, TemporaryFolder) {
    const auto status_of = [](int descriptor, uint64_t offset, uint64_t size) {
        try {
            open_descriptor_source(descriptor, offset, size);
        } catch (const Error &error) {
            return error.status();
        }
        return LLM_OK;
    };
    BOOST_TEST(status_of(-1, 0, 0) == LLM_ERROR_IO);
    BOOST_TEST(status_of(100'000, 0, 0) == LLM_ERROR_IO);
    int pipe[2];
    BOOST_REQUIRE(::pipe(pipe) == 0);
    BOOST_TEST(status_of(pipe[0], 0, 0) == LLM_ERROR_IO);
    ::close(pipe[0]);
    ::close(pipe[1]);
    const Descriptor descriptor(write("some", counting_bytes(100)));
    BOOST_TEST(status_of(descriptor.number, 100, 0) == LLM_OK);
    BOOST_TEST(status_of(descriptor.number, 101, 0) == LLM_ERROR_ARGUMENT);
    BOOST_TEST(status_of(descriptor.number, 50, 51) == LLM_ERROR_ARGUMENT);
    BOOST_TEST(status_of(descriptor.number, UINT64_MAX, 2) == LLM_ERROR_ARGUMENT);
    BOOST_TEST(status_of(descriptor.number, 2, UINT64_MAX) == LLM_ERROR_ARGUMENT);
}

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
