#include "perplexity_base.h"

#include <bit>
#include <cerrno>
#include <cstring>
#include <filesystem>

namespace cli {
namespace {

static_assert(std::endian::native == std::endian::little, "numbers are written as they are in memory");

constexpr char magic[8] = {'l', 'l', 'm', 'l', 'o', 'g', 'i', 't'};
constexpr std::uint32_t version = 1;
constexpr std::uint32_t longest_window = 1 << 24;

File open_file(const std::string &path, const char *mode) {
    File file(std::fopen(path.c_str(), mode));
    if (!file) throw std::runtime_error("cannot open " + path + ": " + std::strerror(errno));
    return file;
}

}  // namespace

BaseWriter::BaseWriter(std::string path, const Windows &windows, std::size_t vocabulary_size)
    : path_(std::move(path)), part_path_(path_ + ".part"), file_(open_file(part_path_, "wb")) {
    const std::uint32_t numbers[] = {version, std::uint32_t(vocabulary_size), std::uint32_t(windows.length),
                                     std::uint32_t(windows.count())};
    write(magic, sizeof magic);
    write(numbers, sizeof numbers);
    write(windows.tokens.data(), windows.tokens.size() * sizeof(llm_token));
    write_checksum();
}

BaseWriter::~BaseWriter() {
    if (file_) std::remove(part_path_.c_str());
}

void BaseWriter::add(std::span<const float> row) { write(row.data(), row.size_bytes()); }

void BaseWriter::end_window() { write_checksum(); }

void BaseWriter::finish() {
    const bool flushed = std::fflush(file_.get()) == 0;
    if (!flushed || std::rename(part_path_.c_str(), path_.c_str()) != 0)
        throw std::runtime_error("cannot write " + path_ + ": " + std::strerror(errno));
    file_.reset();
}

void BaseWriter::write(const void *data, std::size_t size) {
    if (std::fwrite(data, 1, size, file_.get()) != size)
        throw std::runtime_error("cannot write " + part_path_ + ": " + std::strerror(errno));
    checksum_.process_bytes(data, size);
}

void BaseWriter::write_checksum() {
    const std::uint32_t checksum = checksum_.checksum();
    write(&checksum, sizeof checksum);
    checksum_.reset();
}

StoredLogits::StoredLogits(const std::string &path, std::size_t vocabulary_size)
    : path_(path), vocabulary_size_(vocabulary_size) {
    std::error_code error;
    bytes_left_ = std::filesystem::file_size(path, error);  // of nothing but regular files
    if (error) throw std::runtime_error("cannot read " + path + ": " + error.message());
    file_ = open_file(path, "rb");

    char begin[sizeof magic];
    read(begin, sizeof begin);
    if (std::memcmp(begin, magic, sizeof magic) != 0) fail("is no base: it does not begin with 'llmlogit'");
    if (const std::uint32_t number = read_number(); number != version)
        fail("is of version " + std::to_string(number) + ", and this program reads " + std::to_string(version));
    if (const std::uint32_t size = read_number(); size != vocabulary_size)
        fail("is of a model with " + std::to_string(size) + " tokens, and this one has " +
             std::to_string(vocabulary_size));
    windows_.length = read_number();
    if (windows_.length < shortest_window || windows_.length > longest_window)
        fail("has windows of " + std::to_string(windows_.length) + " tokens");
    const std::uint64_t count = read_number();
    const std::uint64_t token_bytes = count * windows_.length * sizeof(llm_token);             // < 2^58
    const std::uint64_t window_bytes = windows_.rows() * vocabulary_size * sizeof(float) + 4;  // < 2^58
    if (bytes_left_ < token_bytes + 4 || count == 0 || (bytes_left_ - token_bytes - 4) / count != window_bytes ||
        (bytes_left_ - token_bytes - 4) % count != 0)
        fail("has not the size of " + std::to_string(count) + " windows of " + std::to_string(windows_.length) +
             " tokens; it is damaged or incomplete");
    windows_.tokens.resize(count * windows_.length);
    read(windows_.tokens.data(), token_bytes);
    check_checksum();
}

void StoredLogits::begin(std::size_t) { rows_left_ = windows_.rows(); }

void StoredLogits::advance(std::size_t count) {
    rows_.resize(count * vocabulary_size_);
    read(rows_.data(), rows_.size() * sizeof(float));
    rows_left_ -= count;
    if (rows_left_ == 0) check_checksum();
}

std::span<const float> StoredLogits::row(std::size_t index) {
    return std::span<const float>(rows_).subspan(index * vocabulary_size_, vocabulary_size_);
}

void StoredLogits::read(void *data, std::size_t size) {
    if (size > bytes_left_) fail("ends too early");
    if (std::fread(data, 1, size, file_.get()) != size)
        fail(std::ferror(file_.get()) ? std::string("cannot be read: ") + std::strerror(errno) : "became shorter");
    bytes_left_ -= size;
    checksum_.process_bytes(data, size);
}

std::uint32_t StoredLogits::read_number() {
    std::uint32_t number = 0;
    read(&number, sizeof number);
    return number;
}

void StoredLogits::check_checksum() {
    const std::uint32_t expected = checksum_.checksum();
    if (read_number() != expected) fail("is damaged: a checksum is wrong");
    checksum_.reset();
}

void StoredLogits::fail(const std::string &text) const { throw std::runtime_error("base " + path_ + " " + text); }

}  // namespace cli
