// No memory at the n-th allocation, for every n, in each kind of call: always LLM_ERROR_NO_MEMORY, nothing changed, and
// the same call goes through afterwards.
#include "support/session.h"
#include "support/tiny_bert.h"
#include "support/tiny_llama.h"

#include <boost/test/unit_test.hpp>

#include <cstdlib>
#include <functional>
#include <new>

namespace {

// Counts down while armed; the allocation that finds it at 0 fails, and so do all after it. Other threads are not
// meant.
thread_local bool armed = false;
thread_local size_t allowed = 0;
thread_local bool failed = false;
thread_local int64_t live = 0;  // blocks

void *allocate(size_t size, size_t alignment) {
    if (armed) {
        if (allowed == 0) {
            failed = true;
            throw std::bad_alloc();
        }
        --allowed;
    }
    const size_t rounded = (std::max<size_t>(size, 1) + alignment - 1) / alignment * alignment;
    void *block =
        alignment <= alignof(std::max_align_t) ? std::malloc(rounded) : std::aligned_alloc(alignment, rounded);
    if (block == nullptr) throw std::bad_alloc();
    ++live;
    return block;
}

void *allocate_or_null(size_t size, size_t alignment) noexcept {
    try {
        return allocate(size, alignment);
    } catch (const std::bad_alloc &) {
        return nullptr;
    }
}

void release(void *block) noexcept {
    if (block != nullptr) --live;
    std::free(block);
}

}  // namespace

// All forms, because sanitizers have their own of those that are missing.
using Alignment = std::align_val_t;
using NoThrow = const std::nothrow_t &;
void *operator new(size_t size) { return allocate(size, alignof(std::max_align_t)); }
void *operator new(size_t size, Alignment alignment) { return allocate(size, static_cast<size_t>(alignment)); }
void *operator new(size_t size, NoThrow) noexcept { return allocate_or_null(size, alignof(std::max_align_t)); }
void *operator new(size_t size, Alignment alignment, NoThrow) noexcept {
    return allocate_or_null(size, static_cast<size_t>(alignment));
}
void *operator new[](size_t size) { return operator new(size); }
void *operator new[](size_t size, Alignment alignment) { return operator new(size, alignment); }
void *operator new[](size_t size, NoThrow no_throw) noexcept { return operator new(size, no_throw); }
void *operator new[](size_t size, Alignment alignment, NoThrow no_throw) noexcept {
    return operator new(size, alignment, no_throw);
}
void operator delete(void *block) noexcept { release(block); }
void operator delete(void *block, size_t) noexcept { release(block); }
void operator delete(void *block, Alignment) noexcept { release(block); }
void operator delete(void *block, size_t, Alignment) noexcept { release(block); }
void operator delete(void *block, NoThrow) noexcept { release(block); }
void operator delete(void *block, Alignment, NoThrow) noexcept { release(block); }
void operator delete[](void *block) noexcept { release(block); }
void operator delete[](void *block, size_t) noexcept { release(block); }
void operator delete[](void *block, Alignment) noexcept { release(block); }
void operator delete[](void *block, size_t, Alignment) noexcept { release(block); }
void operator delete[](void *block, NoThrow) noexcept { release(block); }
void operator delete[](void *block, Alignment, NoThrow) noexcept { release(block); }

namespace llm::test {

namespace {

// Runs the call with `first`, first + 1, ... allocations allowed until none fails. After each failure check_unchanged()
// is called. Returns the number of allocations that were allowed in the end.
size_t fail_each_allocation(const std::function<llm_status()> &call, const std::function<void()> &check_unchanged,
                            size_t first = 0) {
    constexpr int64_t most_kept = 4;  // blocks that an object keeps for its next call
    const int64_t before = live;
    for (size_t n = first;; ++n) {
        allowed = n;
        failed = false;
        armed = true;
        const llm_status status = call();
        armed = false;
        if (!failed) {
            BOOST_TEST(status == LLM_OK, last_error());
            return n;
        }
        // A call may do without what it did not get, a log line for instance.
        if (status == LLM_OK) continue;
        BOOST_TEST_REQUIRE(status == LLM_ERROR_NO_MEMORY, "allocation " << n << ": " << last_error());
        BOOST_TEST_REQUIRE(live <= before + most_kept,
                           "allocation " << n << ": " << live - before << " blocks are left");
        check_unchanged();
    }
}

void nothing_to_check() {}

const std::string text = "The rain in Spain \xE2\x82\xAC <|end|>";
const std::vector<llm_token> tokens = {1, 2, 3, 4, 5, 6, 7, 8};

llm_context_options one_thread() {
    llm_context_options options = precise_options(64, 1);
    options.batch_size = 4;
    return options;
}

struct Fixture {
    ModelPointer model = open_model(tiny_llama().bytes());
};

}  // namespace

BOOST_AUTO_TEST_CASE(opening_a_model) {
    const auto bytes = tiny_llama().bytes();
    llm_model_options options = LLM_MODEL_OPTIONS_INIT;
    options.verify = 1;
    // oneTBB waits for ever when an exception has ended its one-time initialization, so that comes first.
    options.threads = 2;
    open_model(bytes, &options);
    llm_model *model = nullptr;
    const auto open = [&] { return llm_model_open_memory(&model, bytes.data(), bytes.size(), &options); };
    const auto is_null = [&] { BOOST_TEST(model == nullptr); };
    options.open = LLM_OPEN_VOCABULARY;
    const size_t of_vocabulary = fail_each_allocation(open, is_null);
    llm_model_close(model);
    BOOST_TEST(of_vocabulary > 100u);

    options.open = LLM_OPEN_ALL;  // begins in the same way
    for (const int32_t load : {LLM_LOAD_PACKED, LLM_LOAD_MAPPED})
        for (const int32_t threads : {1, 2}) {
            options.load = load;
            options.threads = threads;
            BOOST_TEST(fail_each_allocation(open, is_null, of_vocabulary - 5) > of_vocabulary + 20);
            llm_model_close(model);
        }
}

BOOST_FIXTURE_TEST_CASE(asking_a_model, Fixture) {
    char out[4096];
    size_t length = 0;
    fail_each_allocation([&] { return llm_model_support(out, sizeof out, &length, model.get()); }, nothing_to_check);
    fail_each_allocation([&] { return llm_system_info(out, sizeof out, &length); }, nothing_to_check);
    llm_value value = LLM_VALUE_INIT;
    const uint64_t index = 7;
    fail_each_allocation([&] { return llm_metadata_element(&value, model.get(), "tokenizer.ggml.tokens", &index, 1); },
                         nothing_to_check);
}

BOOST_FIXTURE_TEST_CASE(turning_text_into_tokens_and_back, Fixture) {
    std::vector<llm_token> ids(256);
    size_t count = 0;
    const size_t failures = fail_each_allocation(
        [&] {
            return llm_tokenize(ids.data(), ids.size(), &count, model.get(), text.data(), text.size(),
                                LLM_TOKENIZE_PARSE_SPECIAL);
        },
        nothing_to_check);
    BOOST_TEST(failures > 0u);
    std::string back(256, '\0');
    size_t length = 0;
    fail_each_allocation(
        [&] {
            return llm_detokenize(back.data(), back.size(), &length, model.get(), ids.data(), count,
                                  LLM_DETOKENIZE_SPECIAL);
        },
        nothing_to_check);
    BOOST_TEST(back.substr(0, length) == text);
}

BOOST_FIXTURE_TEST_CASE(making_a_context_and_changing_its_threads, Fixture) {
    llm_context_options options = one_thread();
    for (const int32_t threads : {1, 2}) {
        options.threads = threads;
        llm_context *context = nullptr;
        const size_t failures = fail_each_allocation([&] { return llm_context_new(&context, model.get(), &options); },
                                                     [&] { BOOST_TEST(context == nullptr); });
        BOOST_TEST(failures > 20u);
        const ContextPointer owner(context);
        fail_each_allocation([&] { return llm_context_set_threads(context, 3); },
                             [&] {
                                 llm_context_info info = LLM_CONTEXT_INFO_INIT;
                                 check(llm_context_get_info(&info, context));
                                 BOOST_TEST(info.threads == static_cast<uint32_t>(threads));
                             });
        BOOST_TEST(llm_eval(context, 0, tokens.data(), tokens.size(), 0) == LLM_OK);
    }
}

BOOST_FIXTURE_TEST_CASE(evaluating, Fixture) {
    const auto expected = Session(model.get(), one_thread()).evaluate_all(tokens);
    Session session(model.get(), one_thread());
    const auto length_is = [&](size_t wanted) {
        size_t length = 0;
        check(llm_sequence_length(&length, session.get(), 0));
        BOOST_TEST(length == wanted);
    };
    fail_each_allocation([&] { return llm_eval(session.get(), 0, tokens.data(), tokens.size(), LLM_EVAL_LOGITS_ALL); },
                         [&] { length_is(0); });
    length_is(tokens.size());
    const float *logits = nullptr;
    check(llm_logits(&logits, session.get(), 0));
    BOOST_TEST(std::equal(expected.begin(), expected.end(), logits));
    fail_each_allocation([&] { return llm_sequence_truncate(session.get(), 0, 2); }, nothing_to_check);
}

BOOST_AUTO_TEST_CASE(embedding) {
    const ModelPointer model = open_model(tiny_bert().bytes());
    Session session(model.get(), one_thread());
    std::vector<float> vector(4096);
    size_t count = 0;
    const size_t failures = fail_each_allocation(
        [&] {
            return llm_embed(vector.data(), vector.size(), &count, session.get(), tokens.data(), 4, LLM_POOLING_MEAN,
                             LLM_EMBED_NORMALIZE);
        },
        nothing_to_check);
    BOOST_TEST(failures > 0u);
}

BOOST_FIXTURE_TEST_CASE(choosing_a_token, Fixture) {
    llm_sampler_options options = LLM_SAMPLER_OPTIONS_INIT;
    options.seed = 7;
    Session session(model.get(), one_thread());
    session.evaluate(tokens);
    const auto draw = [&](llm_sampler *sampler) {
        llm_token token = LLM_TOKEN_NONE;
        check(llm_sample(&token, sampler, session.get(), -1));
        return token;
    };
    llm_sampler *sampler = nullptr, *other = nullptr;
    fail_each_allocation([&] { return llm_sampler_new(&sampler, &options); }, [&] { BOOST_TEST(sampler == nullptr); });
    check(llm_sampler_new(&other, &options));
    const SamplerPointer owner(sampler), other_owner(other);
    llm_token token = LLM_TOKEN_NONE;
    fail_each_allocation([&] { return llm_sample(&token, sampler, session.get(), -1); }, nothing_to_check);
    // Failures have used up no random numbers.
    BOOST_TEST(token == draw(other));
    for (int i = 0; i < 20; ++i) BOOST_TEST(draw(sampler) == draw(other));
}

BOOST_FIXTURE_TEST_CASE(generating, Fixture) {
    const char *const stops[] = {"never so", "\xE2\x82\xAC!"};
    const size_t lengths[] = {8, 4};
    llm_generation_options options = LLM_GENERATION_OPTIONS_INIT;
    options.max_tokens = 30;
    options.stops = stops;
    options.stop_lengths = lengths;
    options.stop_count = 2;
    llm_sampler_options chooser = LLM_SAMPLER_OPTIONS_INIT;
    chooser.seed = 11;

    std::string texts[2];
    for (const bool fails : {false, true}) {
        Session session(model.get(), one_thread());
        llm_sampler *sampler = nullptr;
        check(llm_sampler_new(&sampler, &chooser));
        const SamplerPointer sampler_owner(sampler);
        llm_generation *generation = nullptr;
        const auto start = [&] {
            return llm_generation_start(&generation, session.get(), sampler, tokens.data(), tokens.size(), &options);
        };
        if (fails)
            fail_each_allocation(start, [&] { BOOST_TEST(generation == nullptr); });
        else
            check(start());
        const GenerationPointer owner(generation);
        llm_chunk chunk = LLM_CHUNK_INIT;
        const auto next = [&] { return llm_generation_next(&chunk, generation); };
        do {
            if (fails)
                fail_each_allocation(next, nothing_to_check);
            else
                check(next());
            texts[fails].append(chunk.text, chunk.text_length);
        } while (chunk.finish_reason == LLM_FINISH_NONE);
    }
    BOOST_TEST(texts[1] == texts[0]);
    BOOST_TEST(!texts[0].empty());
}

}  // namespace llm::test
