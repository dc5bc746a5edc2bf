// A stored base: the logits of a model for a text in a file, to compare other models with. Little-endian:
//
//     8 bytes  "llmlogit"
//     u32      version of the format, 1
//     u32      vocabulary size V
//     u32      tokens of a window L
//     u32      windows N
//     u32[N L] tokens
//     u32      CRC-32 of all before
//     N times  f32[R V] logits of R = L - 1 - L / 2 rows (see Windows), and u32 CRC-32 of them
#pragma once

#include "perplexity_logits.h"

#include <boost/crc.hpp>

#include <cstdio>
#include <memory>
#include <string>

namespace cli {

struct CloseFile {
    void operator()(std::FILE *file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, CloseFile>;

// Writes a base. The file has its name only when it is complete; before, ".part" stands behind the name.
class BaseWriter {
public:
    BaseWriter(std::string path, const Windows &windows, std::size_t vocabulary_size);
    ~BaseWriter();
    BaseWriter(const BaseWriter &) = delete;
    BaseWriter &operator=(const BaseWriter &) = delete;

    void add(std::span<const float> row);
    void end_window();
    void finish();

private:
    void write(const void *data, std::size_t size);
    void write_checksum();

    std::string path_, part_path_;
    File file_;
    boost::crc_32_type checksum_;
};

// Reads a base. The file is not believed: what is wrong with it is a std::runtime_error.
class StoredLogits : public LogitSource {
public:
    // Checks all but the logits.
    StoredLogits(const std::string &path, std::size_t vocabulary_size);

    const Windows &windows() const { return windows_; }
    void begin(std::size_t window) override;
    // The last of a window's rows come with a check of all of them.
    void advance(std::size_t count) override;
    std::span<const float> row(std::size_t index) override;

private:
    void read(void *data, std::size_t size);
    std::uint32_t read_number();
    void check_checksum();
    [[noreturn]] void fail(const std::string &text) const;

    std::string path_;
    std::uint64_t bytes_left_ = 0;
    File file_;
    boost::crc_32_type checksum_;
    std::size_t vocabulary_size_;
    Windows windows_;
    std::vector<float> rows_;
    std::size_t rows_left_ = 0;  // of the window
};

}  // namespace cli
