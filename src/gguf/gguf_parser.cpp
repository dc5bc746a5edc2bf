// GgufFile::parse(): the header from its first byte to the start of the data.
#include "base/byte_cursor.h"
#include "base/checked_math.h"
#include "gguf/file_kind.h"
#include "gguf/gguf_file.h"
#include "gguf/header_reader.h"
#include "gguf/tensor_directory.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <numeric>

namespace llm {

namespace {

constexpr std::string_view magic = "GGUF";
constexpr uint32_t newest_version = 3;

constexpr uint64_t longest_key = 65535;  // by the format
constexpr uint64_t most_keys = 65536;
constexpr uint64_t most_tensors = 131072;
constexpr uint64_t largest_header = uint64_t{1} << 30;

constexpr std::string_view alignment_key = "general.alignment";
constexpr uint64_t default_alignment = 32;
constexpr uint64_t smallest_alignment = 8;
constexpr uint64_t largest_alignment = uint64_t{1} << 20;

// Reads a source from its start in growing steps, so that what follows the header is never touched and no length
// in the file decides how much memory is taken.
class HeaderSupply final : public ByteCursor::Supply {
public:
    explicit HeaderSupply(const ByteSource &source) : source_(source) {}

    std::span<const uint8_t> first_bytes(uint64_t count) override {
        if (count > largest_header) {
            fail(LLM_ERROR_UNSUPPORTED, "the header has more than ", largest_header, " bytes");
        }
        const uint64_t have = bytes_.size();
        if (count > have) {
            constexpr uint64_t first_step = 64 * 1024;
            const uint64_t step_end = std::min(std::max(2 * have, first_step), largest_header);
            bytes_.resize(std::min(source_.size(), std::max(count, step_end)));
            source_.copy_to(have, std::span(bytes_).subspan(have));
        }
        return bytes_;
    }

    // Gives the first `count` bytes, which must have been read, away.
    std::vector<uint8_t> release(uint64_t count) {
        bytes_.resize(count);
        bytes_.shrink_to_fit();
        return std::move(bytes_);
    }

private:
    const ByteSource &source_;
    std::vector<uint8_t> bytes_;
};

void check_magic(HeaderSupply &supply, uint64_t file_size) {
    if (file_size == 0) fail(LLM_ERROR_TRUNCATED, "the file is empty");
    const auto head = supply.first_bytes(std::min<uint64_t>(file_size, 16));
    const size_t length = std::min(head.size(), magic.size());
    if (std::memcmp(head.data(), magic.data(), length) != 0) {
        fail(LLM_ERROR_NOT_GGUF, "this is no GGUF file: ", guess_file_kind(head));
    }
}

uint32_t read_version(ByteCursor &cursor) {
    cursor.take(magic.size(), {"magic number"});
    const auto version = cursor.read<uint32_t>({"version"});
    if (version >= 1 && version <= newest_version) return version;
    const uint32_t reversed = version << 24 | (version & 0xff00) << 8 | (version >> 8 & 0xff00) | version >> 24;
    if (reversed >= 1 && reversed <= newest_version) {
        fail(LLM_ERROR_UNSUPPORTED, "this is a big-endian GGUF file, which is not supported");
    }
    fail(LLM_ERROR_UNSUPPORTED, "GGUF version ", version, version > newest_version ? " is newer than" : " is not in",
         " this build, which reads 1 to ", newest_version);
}

void check_limit(uint64_t count, uint64_t most, std::string_view what) {
    if (count > most) fail(LLM_ERROR_UNSUPPORTED, "the file has ", count, " ", what, ", at most ", most, " are read");
}

GgufKey read_key(HeaderReader &reader) {
    GgufKey key;
    key.name = reader.name(longest_key, {"key"});
    key.type = reader.value_type({"value type", key.name});
    key.offset = reader.offset();
    if (key.type != ValueType::array) {
        reader.skip(key.type, 1, key.name);
        return key;
    }
    const HeaderReader::Array array = reader.array(key.name);
    key.element_type = array.type;
    key.count = array.count;
    if (scalar_size(array.type) != 0) {
        reader.skip(array.type, array.count, key.name);
        return key;
    }
    const auto mark = [&] { key.element_offsets.push_back(static_cast<uint32_t>(reader.offset() - key.offset)); };
    static_assert(largest_header <= std::numeric_limits<uint32_t>::max());
    for (uint64_t i = 0; i < array.count; ++i) {
        mark();
        if (array.type == ValueType::string) {
            reader.string({"string", key.name, i});
        } else {
            reader.skip(array.type, 1, key.name);
        }
    }
    mark();
    return key;
}

std::vector<GgufKey> read_keys(HeaderReader &reader, uint64_t count) {
    std::vector<GgufKey> keys;
    for (uint64_t i = 0; i < count; ++i) keys.push_back(read_key(reader));
    return keys;
}

// The positions of the items in the order of their names, which must differ.
template <class Item>
std::vector<uint32_t> order_by_name(const std::vector<Item> &items, std::string_view what) {
    std::vector<uint32_t> order(items.size());
    std::iota(order.begin(), order.end(), uint32_t{0});
    const auto name = [&](uint32_t index) -> std::string_view { return items[index].name; };
    std::ranges::sort(order, {}, name);
    const auto twice = std::ranges::adjacent_find(order, {}, name);
    if (twice != order.end()) fail(LLM_ERROR_MALFORMED, "duplicate ", what, " ", quoted(name(*twice)));
    return order;
}

uint64_t read_alignment(const GgufFile &file) {
    const GgufKey *key = file.find_key(alignment_key);
    if (!key) return default_alignment;
    const auto wrong = [](const auto &...value) {
        fail(LLM_ERROR_MALFORMED, "key ", quoted(alignment_key), " is ", value..., ", a power of two from ",
             smallest_alignment, " to ", largest_alignment, " is wanted");
    };
    const GgufValue value = file.value(alignment_key);
    uint64_t alignment = value.u;
    switch (value.type) {
        case ValueType::u8:
        case ValueType::u16:
        case ValueType::u32:
        case ValueType::u64:
            break;
        case ValueType::i8:
        case ValueType::i16:
        case ValueType::i32:
        case ValueType::i64:
            if (value.i < 0) wrong(value.i);
            alignment = static_cast<uint64_t>(value.i);
            break;
        default:
            wrong("of type ", value_type_name(value.type));
    }
    if (!std::has_single_bit(alignment) || alignment < smallest_alignment || alignment > largest_alignment) {
        wrong(alignment);
    }
    return alignment;
}

}  // namespace

GgufFile GgufFile::parse(const ByteSource &source) {
    GgufFile file;
    file.file_size_ = source.size();
    HeaderSupply supply(source);
    check_magic(supply, file.file_size_);

    ByteCursor cursor(supply, file.file_size_);
    file.version_ = read_version(cursor);
    HeaderReader reader(cursor, file.version_);
    const uint64_t tensor_count = reader.count(smallest_tensor_entry(reader.length_size()), {"tensor count"});
    check_limit(tensor_count, most_tensors, "tensors");
    // Name of one byte, value type, value of one byte.
    const uint64_t smallest_key = reader.length_size() + 1 + sizeof(uint32_t) + 1;
    const uint64_t key_count = reader.count(smallest_key, {"key count"});
    check_limit(key_count, most_keys, "keys");

    file.keys_ = read_keys(reader, key_count);
    const uint64_t metadata_end = cursor.offset();
    file.tensors_ = read_tensors(reader, tensor_count);
    const uint64_t header_end = cursor.offset();

    file.header_ = supply.release(metadata_end);
    file.keys_by_name_ = order_by_name(file.keys_, "key");
    file.tensors_by_name_ = order_by_name(file.tensors_, "tensor");
    file.alignment_ = read_alignment(file);
    file.data_offset_ = *checked_align(header_end, file.alignment_);  // both are far below the limit
    place_tensors(file.tensors_, file.data_offset_, file.alignment_, file.file_size_);
    return file;
}

GgufFile GgufFile::join(std::vector<GgufFile> parts) {
    GgufFile whole = std::move(parts.front());
    whole.part_count_ = static_cast<uint32_t>(parts.size());
    for (uint32_t part = 1; part < parts.size(); ++part) {
        whole.file_size_ += parts[part].file_size_;
        for (GgufTensor &tensor : parts[part].tensors_) {
            tensor.part = part;
            whole.tensors_.push_back(std::move(tensor));
        }
    }
    check_limit(whole.tensors_.size(), most_tensors, "tensors");
    whole.tensors_by_name_ = order_by_name(whole.tensors_, "tensor");
    return whole;
}

}  // namespace llm
