// The host's say about the big blocks: its own allocator, limits, and what remains when there is no memory.
#include "support/session.h"
#include "support/tiny_llama.h"

#include <boost/test/unit_test.hpp>

#include <cstdlib>
#include <map>
#include <thread>

namespace llm::test {

namespace {

// An allocator that knows its blocks, and can refuse the n-th.
class Host {
public:
    static void *allocate(void *user, size_t size, size_t alignment) {
        Host &host = *static_cast<Host *>(user);
        host.right_thread &= std::this_thread::get_id() == host.thread;
        if (host.allocations++ == host.refused) return nullptr;
        void *block = std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
        std::fill_n(static_cast<uint8_t *>(block), size, uint8_t{0xA5});
        host.blocks[block] = size;
        return block;
    }
    static void release(void *user, void *block, size_t size) {
        Host &host = *static_cast<Host *>(user);
        host.right_sizes &= host.blocks.count(block) == 1 && host.blocks.at(block) == size;
        host.blocks.erase(block);
        std::free(block);
    }

    template <class Options>
    Options options(Options init) {
        init.allocate = allocate;
        init.release = release;
        init.memory_user = this;
        return init;
    }
    size_t bytes() const {
        size_t sum = 0;
        for (const auto &[block, size] : blocks) sum += size;
        return sum;
    }

    std::map<void *, size_t> blocks;
    size_t allocations = 0, refused = SIZE_MAX;
    bool right_sizes = true, right_thread = true;
    std::thread::id thread = std::this_thread::get_id();
};

const std::vector<llm_token> tokens = {1, 2, 3, 4, 5, 6, 7, 8};

template <class Info, class Get, class Object>
Info info_of(Info init, Get get, Object *object) {
    check(get(&init, object));
    return init;
}

llm_context_info context_info(llm_context *context) {
    return info_of(llm_context_info LLM_CONTEXT_INFO_INIT, llm_context_get_info, context);
}

}  // namespace

BOOST_AUTO_TEST_CASE(all_big_blocks_come_from_the_host) {
    Host host;
    const auto bytes = tiny_llama().bytes();
    std::vector<float> logits;
    {
        const auto model_options = host.options(llm_model_options LLM_MODEL_OPTIONS_INIT);
        const ModelPointer model = open_model(bytes, &model_options);
        BOOST_TEST(host.blocks.size() == 1u);
        const auto info = info_of(llm_model_info LLM_MODEL_INFO_INIT, llm_model_get_info, model.get());
        BOOST_TEST(host.bytes() <= info.weight_bytes);
        BOOST_TEST(host.bytes() > info.weight_bytes * 9 / 10);  // norms are small objects
        const size_t weights = host.bytes();

        Session session(model.get(), host.options(precise_options(64)));
        logits = session.evaluate_all(tokens);
        const auto context = context_info(session.get());
        BOOST_TEST(host.bytes() - weights == context.cache_bytes + context.scratch_bytes);
    }
    BOOST_TEST(host.blocks.empty());
    BOOST_TEST(host.right_sizes);
    BOOST_TEST(host.right_thread);
    // Memory that is not zero at first changes nothing.
    const ModelPointer model = open_model(bytes);
    const auto expected = Session(model.get(), precise_options(64)).evaluate_all(tokens);
    BOOST_TEST(logits == expected, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_host_without_memory_is_a_status) {
    const auto bytes = tiny_llama().bytes();
    Host host;
    host.refused = 0;
    const auto options = host.options(llm_model_options LLM_MODEL_OPTIONS_INIT);
    llm_model *refused = nullptr;
    BOOST_TEST(llm_model_open_memory(&refused, bytes.data(), bytes.size(), &options) == LLM_ERROR_NO_MEMORY);
    BOOST_TEST(refused == nullptr);
    BOOST_TEST(last_error().find("bytes for the weights") != std::string::npos, last_error());

    const ModelPointer model = open_model(bytes);
    const auto context_options = host.options(precise_options(64));
    llm_context *context = nullptr;
    size_t failures = 0;
    for (host.refused = 0;; ++host.refused) {
        host.allocations = 0;
        const llm_status status = llm_context_new(&context, model.get(), &context_options);
        if (status == LLM_OK) break;
        ++failures;
        BOOST_TEST(status == LLM_ERROR_NO_MEMORY);
        BOOST_TEST(host.blocks.empty());
    }
    BOOST_TEST(failures >= 3u);  // cache, scratch and logits at least
    const ContextPointer owner(context);
    check(llm_eval(context, 0, tokens.data(), 3, 0));
    // More rows of logits than there are: refused, and the context is as before.
    host.allocations = host.refused = 0;
    BOOST_TEST(llm_eval(context, 0, tokens.data(), tokens.size(), LLM_EVAL_LOGITS_ALL) == LLM_ERROR_NO_MEMORY);
    size_t length = 0;
    check(llm_sequence_length(&length, context, 0));
    BOOST_TEST(length == 3u);
    host.allocations = 0;
    BOOST_TEST(llm_context_set_threads(context, 3) == LLM_ERROR_NO_MEMORY);
    BOOST_TEST(context_info(context).threads == 2u);
    BOOST_TEST(llm_eval(context, 0, tokens.data(), tokens.size(), 0) == LLM_OK);
}

BOOST_AUTO_TEST_CASE(a_block_at_an_odd_address_is_given_back) {
    struct OddHost {
        alignas(64) uint8_t memory[4096];
        int blocks = 0;
    };
    static OddHost host;
    const ModelPointer model = open_model(tiny_llama().bytes());
    llm_context_options options = precise_options(64);
    options.allocate = [](void *user, size_t, size_t) -> void * {
        ++static_cast<OddHost *>(user)->blocks;
        return static_cast<OddHost *>(user)->memory + 32;
    };
    options.release = [](void *user, void *, size_t) { --static_cast<OddHost *>(user)->blocks; };
    options.memory_user = &host;
    llm_context *context = nullptr;
    BOOST_TEST(llm_context_new(&context, model.get(), &options) == LLM_ERROR_ARGUMENT);
    BOOST_TEST(last_error().find("multiple of 64") != std::string::npos, last_error());
    BOOST_TEST(host.blocks == 0);
}

BOOST_AUTO_TEST_CASE(the_two_functions_come_together) {
    const auto bytes = tiny_llama().bytes();
    Host host;
    auto options = host.options(llm_model_options LLM_MODEL_OPTIONS_INIT);
    options.release = nullptr;
    llm_model *model = nullptr;
    BOOST_TEST(llm_model_open_memory(&model, bytes.data(), bytes.size(), &options) == LLM_ERROR_ARGUMENT);
    options.release = Host::release;
    options.allocate = nullptr;
    BOOST_TEST(llm_model_open_memory(&model, bytes.data(), bytes.size(), &options) == LLM_ERROR_ARGUMENT);
}

BOOST_AUTO_TEST_CASE(a_model_has_its_limit) {
    const auto bytes = tiny_llama().bytes();
    llm_model_options options = LLM_MODEL_OPTIONS_INIT;
    const uint64_t wanted =
        info_of(llm_model_info LLM_MODEL_INFO_INIT, llm_model_get_info, open_model(bytes).get()).weight_bytes;
    options.max_memory = wanted;
    BOOST_CHECK_NO_THROW(open_model(bytes, &options));

    Host host;
    options = host.options(options);
    options.max_memory = wanted - 1;
    llm_model *model = nullptr;
    BOOST_TEST(llm_model_open_memory(&model, bytes.data(), bytes.size(), &options) == LLM_ERROR_NO_MEMORY);
    BOOST_TEST(host.allocations == 0u);
    BOOST_TEST(last_error().find(std::to_string(wanted) + " bytes are wanted for the weights") != std::string::npos);
    BOOST_TEST(last_error().find("max_memory allows " + std::to_string(wanted - 1)) != std::string::npos);

    options.load = LLM_LOAD_MAPPED;  // norms only
    options.max_memory = wanted / 10;
    BOOST_CHECK_NO_THROW(open_model(bytes, &options));
}

BOOST_AUTO_TEST_CASE(a_context_has_its_limit) {
    const ModelPointer model = open_model(tiny_llama().bytes());
    llm_context_options options = precise_options(64);
    const auto info = context_info(Session(model.get(), options).get());
    const uint64_t wanted = info.cache_bytes + info.scratch_bytes;
    options.max_memory = wanted;
    Session session(model.get(), options);
    check(llm_eval(session.get(), 0, tokens.data(), tokens.size(), 0));
    // Logits of all tokens take more.
    BOOST_TEST(llm_eval(session.get(), 0, tokens.data(), tokens.size(), LLM_EVAL_LOGITS_ALL) == LLM_ERROR_NO_MEMORY);
    BOOST_TEST(last_error().find("max_memory allows " + std::to_string(wanted)) != std::string::npos, last_error());
    BOOST_TEST(llm_eval(session.get(), 0, tokens.data(), tokens.size(), 0) == LLM_OK);

    llm_context *context = nullptr;
    for (const uint64_t limit : {uint64_t{1}, info.cache_bytes, wanted - 1}) {
        options.max_memory = limit;
        BOOST_TEST(llm_context_new(&context, model.get(), &options) == LLM_ERROR_NO_MEMORY);
        BOOST_TEST(last_error().find("max_memory allows " + std::to_string(limit)) != std::string::npos);
    }
}

}  // namespace llm::test
