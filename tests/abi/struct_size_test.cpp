// Structs of programs that were built with an older or a newer header: every option struct that is read, and every
// result struct that is written.
#include "support/session.h"
#include "support/tiny_llama.h"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <array>
#include <cstring>

namespace llm::test {

namespace {

constexpr size_t tail_size = 40;

// A struct of a newer header: more members behind those of today.
template <class Struct>
struct Newer {
    Struct known;
    std::array<unsigned char, tail_size> tail;

    explicit Newer(const Struct &init, unsigned char filling = 0) : known(init) {
        known.struct_size = sizeof(Newer);
        tail.fill(filling);
    }
    bool tail_is(unsigned char filling) const {
        return std::all_of(tail.begin(), tail.end(), [=](unsigned char byte) { return byte == filling; });
    }
};

struct Fixture {
    std::vector<uint8_t> bytes = tiny_llama().bytes();
    ModelPointer model = open_model(bytes);
    Session session{model.get(), precise_options(64, 1)};
    SamplerPointer sampler = new_sampler();

    static SamplerPointer new_sampler() {
        llm_sampler *out = nullptr;
        check(llm_sampler_new(&out, nullptr));
        return SamplerPointer(out);
    }

    llm_status use(const llm_model_options &options) {
        llm_model *out = nullptr;
        const llm_status status = llm_model_open_memory(&out, bytes.data(), bytes.size(), &options);
        llm_model_close(out);
        return status;
    }
    llm_status use(const llm_context_options &options) {
        llm_context *out = nullptr;
        const llm_status status = llm_context_new(&out, model.get(), &options);
        llm_context_close(out);
        return status;
    }
    llm_status use(const llm_sampler_options &options) {
        llm_sampler *out = nullptr;
        const llm_status status = llm_sampler_new(&out, &options);
        llm_sampler_close(out);
        return status;
    }
    llm_status use(const llm_generation_options &options) {
        const llm_token prompt[] = {65};
        llm_generation *out = nullptr;
        const llm_status status = llm_generation_start(&out, session.get(), sampler.get(), prompt, 1, &options);
        llm_generation_close(out);
        return status;
    }

    template <class Options>
    void check_options(const Options &init) {
        Newer<Options> newer(init);
        BOOST_TEST(use(newer.known) == LLM_OK);
        for (const size_t place : {size_t{0}, tail_size / 2, tail_size - 1}) {
            newer.tail.fill(0);
            newer.tail[place] = 1;
            BOOST_TEST(use(newer.known) == LLM_ERROR_TOO_NEW);
        }
        Options older;  // whose members behind the first ones are no memory of the caller's struct
        std::memset(&older, 0xFF, sizeof older);
        older.struct_size = sizeof(size_t);
        BOOST_TEST(use(older) == LLM_OK);
        for (const size_t wrong : {size_t{0}, sizeof(size_t) - 1}) {
            older.struct_size = wrong;
            BOOST_TEST(use(older) == LLM_ERROR_ARGUMENT);
        }
    }
};

// `fill` writes a struct of this type. What the program's struct does not have, or the library does not know, stays.
template <class Result, class Fill>
void check_result(const Result &init, Fill fill) {
    Newer<Result> newer(init, 0xA5);
    BOOST_TEST(fill(newer.known) == LLM_OK);
    BOOST_TEST(newer.known.struct_size == sizeof newer);
    BOOST_TEST(newer.tail_is(0xA5));

    Result whole = init;
    BOOST_TEST(fill(whole) == LLM_OK);
    for (const size_t size : {sizeof(size_t), sizeof(size_t) + 4, sizeof(Result) - 4}) {
        Result older;
        std::memset(&older, 0xA5, sizeof older);
        older.struct_size = size;
        BOOST_TEST(fill(older) == LLM_OK);
        BOOST_TEST(older.struct_size == size);
        const auto *bytes = reinterpret_cast<const unsigned char *>(&older);
        BOOST_TEST(std::all_of(bytes + size, bytes + sizeof older, [](unsigned char byte) { return byte == 0xA5; }));
    }
    for (const size_t wrong : {size_t{0}, sizeof(size_t) - 1}) {
        whole.struct_size = wrong;
        BOOST_TEST(fill(whole) == LLM_ERROR_ARGUMENT);
    }
}

}  // namespace

BOOST_FIXTURE_TEST_CASE(options_of_other_sizes, Fixture) {
    check_options<llm_model_options>(LLM_MODEL_OPTIONS_INIT);
    check_options<llm_context_options>(LLM_CONTEXT_OPTIONS_INIT);
    check_options<llm_sampler_options>(LLM_SAMPLER_OPTIONS_INIT);
    check_options<llm_generation_options>(LLM_GENERATION_OPTIONS_INIT);
}

BOOST_FIXTURE_TEST_CASE(results_of_other_sizes, Fixture) {
    check_result<llm_option>(LLM_OPTION_INIT, [](auto &out) { return llm_option_describe(&out, 0, 0); });
    check_result<llm_model_info>(LLM_MODEL_INFO_INIT, [&](auto &out) { return llm_model_get_info(&out, model.get()); });
    check_result<llm_value>(LLM_VALUE_INIT,
                            [&](auto &out) { return llm_metadata_get(&out, model.get(), "general.architecture"); });
    check_result<llm_tensor>(LLM_TENSOR_INIT, [&](auto &out) { return llm_tensor_get(&out, model.get(), 0); });
    check_result<llm_token_info>(LLM_TOKEN_INFO_INIT,
                                 [&](auto &out) { return llm_token_get_info(&out, model.get(), 65); });
    check_result<llm_context_info>(LLM_CONTEXT_INFO_INIT,
                                   [&](auto &out) { return llm_context_get_info(&out, session.get()); });
    check_result<llm_context_counters>(LLM_CONTEXT_COUNTERS_INIT,
                                       [&](auto &out) { return llm_context_get_counters(&out, session.get()); });
    llm_generation_options options = LLM_GENERATION_OPTIONS_INIT;
    const llm_token prompt[] = {65};
    llm_generation *generation = nullptr;
    check(llm_generation_start(&generation, session.get(), sampler.get(), prompt, 1, &options));
    const GenerationPointer close(generation);
    check_result<llm_chunk>(LLM_CHUNK_INIT, [&](auto &out) { return llm_generation_next(&out, generation); });
}

}  // namespace llm::test
