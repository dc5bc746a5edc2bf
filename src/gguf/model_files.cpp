// Split models: what a part says about the whole, the names of the others, and the checks that they fit together.
#include "gguf/model_files.h"

#include "base/error.h"

#include <optional>
#include <string_view>
#include <utility>

namespace llm {

namespace {

constexpr uint32_t most_parts = 1024;

constexpr std::string_view number_key = "split.no";
constexpr std::string_view count_key = "split.count";
constexpr std::string_view tensors_key = "split.tensors.count";

// What a part says; numbers count from 0 here and in the file, but from 1 in names and messages.
struct Part {
    uint32_t number, count;
    std::optional<uint64_t> tensor_count;  // of all parts
};

// Nothing when the file is a whole model.
std::optional<Part> part_of(const GgufFile &file) {
    const uint32_t count = file.find<uint32_t>(count_key).value_or(1);
    if (count <= 1) return std::nullopt;
    if (count > most_parts)
        fail(LLM_ERROR_UNSUPPORTED, "the model is split into ", count, " parts, at most ", most_parts, " are read");
    const auto number = file.get<uint32_t>(number_key);
    if (number >= count)
        fail(LLM_ERROR_MALFORMED, "key ", quoted(number_key), " is ", number, ", but ", quoted(count_key), " is ",
             count);
    return Part{number, count, file.find<uint64_t>(tensors_key)};
}

std::string five_digits(uint32_t number) {
    const std::string digits = std::to_string(number);
    return std::string(5 - digits.size(), '0') + digits;
}

std::string ending(const Part &part, uint32_t number) {
    return concat("-", five_digits(number + 1), "-of-", five_digits(part.count), ".gguf");
}

// The path of each part, made from that of one.
std::vector<std::string> part_paths(std::string_view path, const Part &part) {
    const std::string own_ending = ending(part, part.number);
    if (!path.ends_with(own_ending))
        fail(LLM_ERROR_UNSUPPORTED, "the file is part ", part.number + 1, " of ", part.count,
             " of a split model, but its name does not end in ", quoted(own_ending),
             ", so the other parts cannot be found");
    path.remove_suffix(own_ending.size());
    std::vector<std::string> paths;
    for (uint32_t number = 0; number < part.count; ++number) paths.push_back(concat(path, ending(part, number)));
    return paths;
}

bool same_value(const GgufValue &a, const GgufValue &b) {
    return a.type == b.type && a.element_type == b.element_type && a.count == b.count && a.u == b.u && a.i == b.i &&
           a.f == b.f && a.text == b.text;
}

// Later parts repeat some of the first one's keys, or none.
void check_fit(const GgufFile &first, const GgufFile &file, const Part &expected) {
    const std::optional<Part> found = part_of(file);
    if (!found || found->number != expected.number || found->count != expected.count)
        fail(LLM_ERROR_MODEL, "the file says that it is part ", found ? found->number + 1 : 1, " of ",
             found ? found->count : 1);
    for (const GgufKey &key : file.keys()) {
        if (key.name == number_key || key.name == "general.alignment" || !first.find_key(key.name)) continue;
        if (!same_value(first.value(key.name), file.value(key.name)))
            fail(LLM_ERROR_MODEL, "key ", quoted(key.name), " differs from that of the first part");
    }
}

std::string part_text(const Part &part, std::string_view path) {
    const size_t slash = path.find_last_of("/\\");
    const std::string_view name = slash == std::string_view::npos ? path : path.substr(slash + 1);
    return concat("part ", part.number + 1, " of ", part.count, ", ", quoted(name));
}

ModelFiles open_parts(const std::vector<std::string> &paths, const std::optional<uint64_t> &tensor_count) {
    std::vector<std::unique_ptr<ByteSource>> sources;
    std::vector<GgufFile> files;
    Part part{0, static_cast<uint32_t>(paths.size()), tensor_count};
    for (; part.number < part.count; ++part.number) {
        const std::string &path = paths[part.number];
        try {
            sources.push_back(open_file_source(path));
            files.push_back(GgufFile::parse(*sources.back()));
            check_fit(files.front(), files.back(), part);
        } catch (const Error &error) {
            fail(error.status(), part_text(part, path), ": ", error.what());
        }
    }
    GgufFile whole = GgufFile::join(std::move(files));
    if (tensor_count && *tensor_count != whole.tensors().size())
        fail(LLM_ERROR_MODEL, "the parts have ", whole.tensors().size(), " tensors, but key ", quoted(tensors_key),
             " is ", *tensor_count);
    return {std::move(sources), std::move(whole)};
}

}  // namespace

void ModelFiles::require_all_parts() const {
    const std::optional<Part> part = part_of(file);
    if (part && sources.size() != part->count)
        fail(LLM_ERROR_UNSUPPORTED, "this is part ", part->number + 1, " of ", part->count,
             " of a split model, whose weights can be loaded only by path");
}

ModelFiles read_model_file(std::unique_ptr<ByteSource> source) {
    GgufFile file = GgufFile::parse(*source);
    ModelFiles files{{}, std::move(file)};
    files.sources.push_back(std::move(source));
    return files;
}

ModelFiles open_model_files(const std::string &path) {
    ModelFiles files = read_model_file(open_file_source(path));
    const std::optional<Part> part = part_of(files.file);
    return part ? open_parts(part_paths(path, *part), part->tensor_count) : std::move(files);
}

}  // namespace llm
