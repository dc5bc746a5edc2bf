// Writes what the builder was told, and notes where each field came to stand.
#include "support/gguf_builder.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>

namespace llm::test {

namespace {

template <class Items>
auto find_named(Items &items, const std::string &name) {
    return std::ranges::find_if(items, [&](const auto &item) { return item.name == name; });
}

template <class Items>
auto &named(Items &items, const std::string &name) {
    const auto found = find_named(items, name);
    if (found == items.end()) throw std::logic_error("the builder has no " + name);
    return *found;
}

}  // namespace

ByteWriter &ByteWriter::put(std::span<const uint8_t> bytes) {
    bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
    return *this;
}

ByteWriter &ByteWriter::put(std::string_view text) {
    bytes_.insert(bytes_.end(), text.begin(), text.end());
    return *this;
}

ByteWriter &ByteWriter::pad_to(size_t multiple, uint8_t filler) {
    while (bytes_.size() % multiple != 0) bytes_.push_back(filler);
    return *this;
}

void ByteWriter::copy_bits(uint64_t *bits, const void *value, size_t size) { std::memcpy(bits, value, size); }

GgufBuilder &GgufBuilder::set_key(Key key) {
    const auto found = find_named(keys_, key.name);
    if (found == keys_.end()) {
        keys_.push_back(std::move(key));
    } else {
        *found = std::move(key);
    }
    return *this;
}

GgufBuilder &GgufBuilder::set(const std::string &key, std::string_view text) {
    return set_key({.name = key, .type = string_type_number, .texts = {std::string(text)}});
}

GgufBuilder &GgufBuilder::set_strings(const std::string &key, std::vector<std::string> elements) {
    const uint64_t count = elements.size();
    return set_key({.name = key,
                    .type = array_type_number,
                    .element_type = string_type_number,
                    .count = count,
                    .texts = std::move(elements)});
}

GgufBuilder &GgufBuilder::set_array_raw(const std::string &key, uint32_t element_type, uint64_t count,
                                        std::vector<uint8_t> payload) {
    return set_key({.name = key,
                    .type = array_type_number,
                    .element_type = element_type,
                    .count = count,
                    .payload = std::move(payload)});
}

GgufBuilder &GgufBuilder::duplicate_key(const std::string &key) {
    keys_.push_back(Key(named(keys_, key)));
    return *this;
}

GgufBuilder &GgufBuilder::remove(const std::string &key) {
    std::erase_if(keys_, [&](const Key &item) { return item.name == key; });
    return *this;
}

GgufBuilder &GgufBuilder::add_tensor(const std::string &name, std::vector<uint64_t> dimensions, uint32_t type,
                                     std::vector<uint8_t> data) {
    tensors_.push_back({name, std::move(dimensions), type, std::move(data)});
    return *this;
}

GgufBuilder &GgufBuilder::remove_tensor(const std::string &name) {
    std::erase_if(tensors_, [&](const Tensor &item) { return item.name == name; });
    return *this;
}

GgufBuilder &GgufBuilder::reshape_tensor(const std::string &name, std::vector<uint64_t> dimensions, uint32_t type,
                                         std::vector<uint8_t> data) {
    named(tensors_, name) = {name, std::move(dimensions), type, std::move(data)};
    return *this;
}

GgufBuilder &GgufBuilder::align(size_t alignment) {
    alignment_ = alignment;
    return *this;
}

GgufBuilder &GgufBuilder::fill_gaps_with(uint8_t filler) {
    filler_ = filler;
    return *this;
}

void GgufBuilder::put_length(ByteWriter &out, uint64_t length, uint32_t version) {
    if (version == 1) {
        out.put(static_cast<uint32_t>(length));
    } else {
        out.put(length);
    }
}

void GgufBuilder::write_key(ByteWriter &out, BuiltGguf &built, const Key &key) const {
    const auto mark = [&](const char *field) { built.places["key:" + key.name + "/" + field] = out.size(); };
    mark("length");
    put_length(out, key.name.size(), version_);
    mark("name");
    out.put(key.name);
    mark("type");
    out.put(key.type);
    mark("value");
    if (key.type == array_type_number) {
        out.put(key.element_type);
        mark("count");
        put_length(out, key.count, version_);
        mark("elements");
    }
    for (const std::string &text : key.texts) {
        put_length(out, text.size(), version_);
        out.put(text);
    }
    out.put(key.payload);
}

BuiltGguf GgufBuilder::build() const {
    BuiltGguf built;
    ByteWriter out;
    out.put("GGUF");
    built.places["version"] = out.size();
    out.put(version_);
    built.places["tensor_count"] = out.size();
    put_length(out, tensors_.size(), version_);
    built.places["key_count"] = out.size();
    put_length(out, keys_.size(), version_);
    for (const Key &key : keys_) write_key(out, built, key);

    ByteWriter data;
    std::vector<std::pair<std::string, size_t>> data_places;
    for (const Tensor &tensor : tensors_) {
        const std::string prefix = "tensor:" + tensor.name + "/";
        data.pad_to(alignment_, filler_);
        built.places[prefix + "length"] = out.size();
        put_length(out, tensor.name.size(), version_);
        built.places[prefix + "name"] = out.size();
        out.put(tensor.name);
        built.places[prefix + "dimension_count"] = out.size();
        out.put(static_cast<uint32_t>(tensor.dimensions.size()));
        built.places[prefix + "dimensions"] = out.size();
        for (const uint64_t dimension : tensor.dimensions) put_length(out, dimension, version_);
        built.places[prefix + "type"] = out.size();
        out.put(tensor.type);
        built.places[prefix + "offset"] = out.size();
        out.put(uint64_t{data.size()});
        data_places.emplace_back(prefix + "data", data.size());
        data.put(tensor.data);
    }
    out.pad_to(alignment_, filler_);
    built.places["data"] = out.size();
    for (const auto &[place, offset] : data_places) built.places[place] = out.size() + offset;
    out.put(data.bytes());
    built.bytes = out.bytes();
    return built;
}

}  // namespace llm::test
