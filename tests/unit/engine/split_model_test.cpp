// Models that are split into several files, through the C API.
#include "support/session.h"
#include "support/temporary_folder.h"
#include "support/tiny_llama.h"

#include <boost/test/unit_test.hpp>

#include <set>

namespace llm::test {

namespace {

constexpr uint32_t part_count = 3;

std::vector<std::string> names_in(const GgufBuilder &builder, const std::string &kind, const std::string &field) {
    std::vector<std::string> names;
    for (const auto &[place, offset] : builder.build().places)
        if (place.starts_with(kind) && place.ends_with(field))
            names.push_back(place.substr(kind.size(), place.size() - kind.size() - field.size()));
    return names;
}

std::vector<std::string> tensor_names(const GgufBuilder &builder) { return names_in(builder, "tensor:", "/data"); }

GgufBuilder &set_split(GgufBuilder &builder, uint32_t number, uint32_t count, size_t tensors) {
    return builder.set("split.no", static_cast<uint16_t>(number))
        .set("split.count", static_cast<uint16_t>(count))
        .set("split.tensors.count", static_cast<int32_t>(tensors));
}

// The tiny model in parts, of which only the first has keys other than the split's. Tensors go round.
std::vector<GgufBuilder> tiny_parts(const GgufBuilder &whole = tiny_llama()) {
    const auto tensors = tensor_names(whole);
    const auto keys = names_in(whole, "key:", "/value");
    std::vector<GgufBuilder> parts;
    for (uint32_t number = 0; number < part_count; ++number) {
        GgufBuilder part = whole;
        for (size_t i = 0; i < tensors.size(); ++i)
            if (i % part_count != number) part.remove_tensor(tensors[i]);
        if (number > 0)
            for (const std::string &key : keys) part.remove(key);
        parts.push_back(set_split(part, number, part_count, tensors.size()));
    }
    return parts;
}

std::string part_name(uint32_t number) { return "tiny-0000" + std::to_string(number + 1) + "-of-00003.gguf"; }

struct Fixture : TemporaryFolder {
    std::vector<GgufBuilder> parts = tiny_parts();

    std::string write_parts() const {
        for (uint32_t number = 0; number < part_count; ++number) write(part_name(number), parts[number].bytes());
        return (path / part_name(0)).string();
    }

    void refused(llm_status expected, const std::string &word) const {
        const std::string first = write_parts();
        auto *model = reinterpret_cast<llm_model *>(1);
        BOOST_TEST(llm_model_open(&model, first.c_str(), nullptr) == expected);
        BOOST_TEST(model == nullptr);
        BOOST_TEST(last_error().find(word) != std::string::npos, last_error());
    }
};

llm_model_options loaded(int32_t load) {
    llm_model_options options = LLM_MODEL_OPTIONS_INIT;
    options.load = load;
    return options;
}

std::vector<float> logits_of(llm_model *model) {
    return Session(model, precise_options(32)).evaluate(std::vector<llm_token>{1, 2, 3, 4, 5});
}

}  // namespace

BOOST_FIXTURE_TEST_CASE(any_part_opens_the_whole_model, Fixture) {
    write_parts();
    const auto expected = logits_of(open_model(tiny_llama().bytes()).get());
    for (uint32_t number = 0; number < part_count; ++number) {
        const llm_model_options options = loaded(number % 2 == 0 ? LLM_LOAD_PACKED : LLM_LOAD_MAPPED);
        const ModelPointer model = open_model((path / part_name(number)).string(), &options);
        BOOST_TEST(logits_of(model.get()) == expected, boost::test_tools::per_element());
    }
}

BOOST_FIXTURE_TEST_CASE(the_facts_are_those_of_all_parts, Fixture) {
    llm_model_options options = LLM_MODEL_OPTIONS_INIT;
    options.open = LLM_OPEN_METADATA;
    const ModelPointer model = open_model(write_parts(), &options);
    const ModelPointer whole = open_model(tiny_llama().bytes(), &options);
    llm_model_info info = LLM_MODEL_INFO_INIT, expected = LLM_MODEL_INFO_INIT;
    check(llm_model_get_info(&info, model.get()));
    check(llm_model_get_info(&expected, whole.get()));
    BOOST_TEST(info.file_count == part_count);
    BOOST_TEST(expected.file_count == 1u);
    BOOST_TEST(info.parameter_count == expected.parameter_count);
    BOOST_TEST(info.tensor_bytes == expected.tensor_bytes);
    uint64_t file_size = 0;
    for (const GgufBuilder &part : parts) file_size += part.bytes().size();
    BOOST_TEST(info.file_size == file_size);

    std::set<uint32_t> seen;
    BOOST_TEST_REQUIRE(llm_tensor_count(model.get()) == llm_tensor_count(whole.get()));
    for (size_t i = 0; i < llm_tensor_count(model.get()); ++i) {
        llm_tensor tensor = LLM_TENSOR_INIT;
        check(llm_tensor_get(&tensor, model.get(), i));
        BOOST_TEST_REQUIRE(tensor.part < part_count);
        BOOST_TEST(tensor.offset ==
                   parts[tensor.part].build().places.at(std::string("tensor:") + tensor.name + "/data"));
        seen.insert(tensor.part);
    }
    BOOST_TEST(seen.size() == part_count);
}

BOOST_FIXTURE_TEST_CASE(later_parts_may_repeat_keys, Fixture) {
    parts[1].set("general.architecture", "llama").set("llama.block_count", uint32_t{1});
    BOOST_CHECK_NO_THROW(open_model(write_parts()));
    parts[1].set("llama.block_count", uint32_t{2});
    refused(LLM_ERROR_MODEL, "llama.block_count");
    BOOST_TEST(last_error().find("part 2 of 3") != std::string::npos, last_error());
}

BOOST_FIXTURE_TEST_CASE(a_missing_part_is_named, Fixture) {
    const std::string first = write_parts();
    std::filesystem::remove(path / part_name(1));
    llm_model *model = nullptr;
    BOOST_TEST(llm_model_open(&model, first.c_str(), nullptr) == LLM_ERROR_IO);
    BOOST_TEST(last_error().find("part 2 of 3, '" + part_name(1) + "'") != std::string::npos, last_error());
    BOOST_TEST(last_error().find("No such file") != std::string::npos, last_error());
}

BOOST_FIXTURE_TEST_CASE(a_part_without_its_name_is_refused, Fixture) {
    for (const char *name : {"tiny.gguf", "tiny-00002-of-00003.gguf", "tiny-1-of-3.gguf", "tiny-00001-of-00003.GGUF"}) {
        const std::string file = write(name, parts[0].bytes());
        llm_model *model = nullptr;
        BOOST_TEST(llm_model_open(&model, file.c_str(), nullptr) == LLM_ERROR_UNSUPPORTED);
        BOOST_TEST(last_error().find("'-00001-of-00003.gguf'") != std::string::npos, last_error());
    }
}

BOOST_FIXTURE_TEST_CASE(parts_that_contradict_each_other_are_refused, Fixture) {
    const size_t tensors = tensor_names(tiny_llama()).size();
    set_split(parts[1], 2, 3, tensors);
    refused(LLM_ERROR_MODEL, "part 3 of 3");
    set_split(parts[1], 1, 4, tensors);
    refused(LLM_ERROR_MODEL, "part 2 of 4");
    parts[1].remove("split.count");
    refused(LLM_ERROR_MODEL, "part 1 of 1");
    set_split(parts[1], 1, 3, tensors + 1);
    refused(LLM_ERROR_MODEL, "split.tensors.count");
}

BOOST_FIXTURE_TEST_CASE(the_number_of_tensors_must_be_the_announced_one, Fixture) {
    const size_t tensors = tensor_names(tiny_llama()).size();
    for (uint32_t number = 0; number < part_count; ++number) set_split(parts[number], number, part_count, tensors + 1);
    refused(LLM_ERROR_MODEL, "split.tensors.count");
    for (GgufBuilder &part : parts) part.remove("split.tensors.count");
    BOOST_CHECK_NO_THROW(open_model(write_parts()));
    parts[2].add_tensor(tensor_names(parts[0]).front(), {4}, 0, std::vector<uint8_t>(16));
    refused(LLM_ERROR_MALFORMED, "duplicate tensor");
}

BOOST_FIXTURE_TEST_CASE(absurd_split_keys_are_refused, Fixture) {
    parts[0].set("split.count", uint32_t{70'000});
    refused(LLM_ERROR_UNSUPPORTED, "70000");
    parts[0].set("split.count", uint16_t{3}).set("split.no", uint16_t{3});
    refused(LLM_ERROR_MALFORMED, "split.no");
    parts[0].set("split.no", "1");
    refused(LLM_ERROR_MODEL, "split.no");
    parts[0].remove("split.no");
    refused(LLM_ERROR_MODEL, "split.no");
}

BOOST_FIXTURE_TEST_CASE(a_damaged_part_is_named, Fixture) {
    const std::string first = write_parts();
    auto bytes = parts[2].bytes();
    bytes.erase(bytes.end() - 1000, bytes.end());
    write(part_name(2), bytes);
    llm_model *model = nullptr;
    BOOST_TEST(llm_model_open(&model, first.c_str(), nullptr) == LLM_ERROR_TRUNCATED);
    BOOST_TEST(last_error().starts_with("part 3 of 3"), last_error());
}

BOOST_FIXTURE_TEST_CASE(a_part_in_memory_opens_without_weights_only, Fixture) {
    const auto bytes = parts[0].bytes();
    llm_model *model = nullptr;
    BOOST_TEST(llm_model_open_memory(&model, bytes.data(), bytes.size(), nullptr) == LLM_ERROR_UNSUPPORTED);
    BOOST_TEST(last_error().find("part 1 of 3") != std::string::npos, last_error());
    llm_model_options options = LLM_MODEL_OPTIONS_INIT;
    for (const int32_t open : {LLM_OPEN_METADATA, LLM_OPEN_VOCABULARY}) {
        options.open = open;
        BOOST_CHECK_NO_THROW(open_model(bytes, &options));
    }
}

BOOST_FIXTURE_TEST_CASE(one_part_of_one_is_a_whole_model, Fixture) {
    for (const uint32_t count : {0u, 1u}) {
        GgufBuilder whole = tiny_llama();
        set_split(whole, 0, count, tensor_names(whole).size());
        BOOST_CHECK_NO_THROW(open_model(write("whole.gguf", whole.bytes())));
    }
}

}  // namespace llm::test
