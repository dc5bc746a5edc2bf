// The library as plug-ins and bindings load it: by dlopen() with local symbols, again after dlclose(), and in two
// copies within one process.
#include "support/tiny_llama.h"

#include <llm/llm.h>

#include <dlfcn.h>
#include <unistd.h>
#include <boost/test/unit_test.hpp>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

namespace llm::test {

namespace {

const std::vector<uint8_t> &model_bytes() {
    static const std::vector<uint8_t> bytes = tiny_llama().bytes();
    return bytes;
}

// A copy of the library that was loaded from a path, with its functions.
class Loaded {
public:
    explicit Loaded(const std::string &path) : handle_(dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)) {
        BOOST_TEST_REQUIRE(handle_ != nullptr, dlerror());
        find(model_open, "llm_model_open_memory");
        find(model_close, "llm_model_close");
        find(model_info, "llm_model_get_info");
        find(context_new, "llm_context_new");
        find(context_close, "llm_context_close");
        find(eval, "llm_eval");
        find(logits, "llm_logits");
    }
    ~Loaded() { dlclose(handle_); }
    Loaded(const Loaded &) = delete;
    Loaded &operator=(const Loaded &) = delete;

    // Logits of one evaluation with two threads.
    std::vector<float> evaluate() const {
        llm_context_options options = LLM_CONTEXT_OPTIONS_INIT;
        options.threads = 2;
        options.context_length = 64;
        const std::vector<llm_token> tokens = {65, 66, 67, 68, 69};
        llm_model *model = nullptr;
        llm_context *context = nullptr;
        const float *row = nullptr;
        if (model_open(&model, model_bytes().data(), model_bytes().size(), nullptr) != LLM_OK ||
            context_new(&context, model, &options) != LLM_OK ||
            eval(context, 0, tokens.data(), tokens.size(), 0) != LLM_OK || logits(&row, context, -1) != LLM_OK)
            return {};
        const std::vector<float> out(row, row + tiny_llama_vocabulary_size);
        context_close(context);
        model_close(model);
        return out;
    }

    decltype(&llm_model_open_memory) model_open;
    decltype(&llm_model_close) model_close;
    decltype(&llm_model_get_info) model_info;
    decltype(&llm_context_new) context_new;
    decltype(&llm_context_close) context_close;
    decltype(&llm_eval) eval;
    decltype(&llm_logits) logits;

private:
    template <class Function>
    void find(Function &function, const char *name) {
        function = reinterpret_cast<Function>(dlsym(handle_, name));
        BOOST_TEST_REQUIRE(function != nullptr, name);
    }

    void *handle_;
};

// A second file with the library in it.
struct Copy {
    std::filesystem::path path =
        std::filesystem::temp_directory_path() / ("libllm-copy-" + std::to_string(getpid()) + ".so");
    Copy() { std::filesystem::copy_file(LLM_LIBRARY_FILE, path, std::filesystem::copy_options::overwrite_existing); }
    ~Copy() { std::filesystem::remove(path); }
};

}  // namespace

BOOST_AUTO_TEST_CASE(loaded_used_unloaded_and_loaded_again) {
    std::vector<float> first;
    for (int round = 0; round < 3; ++round) {
        const Loaded library(LLM_LIBRARY_FILE);
        const std::vector<float> logits = library.evaluate();
        BOOST_TEST_REQUIRE(!logits.empty());
        if (round == 0) first = logits;
        BOOST_TEST((logits == first));
    }
    // Its threads may still run, so the code stays where it is.
    void *still_there = dlopen(LLM_LIBRARY_FILE, RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD);
    BOOST_TEST(still_there != nullptr);
    // Nothing of it is visible to others.
    BOOST_TEST(dlsym(RTLD_DEFAULT, "llm_version") == nullptr);
}

BOOST_AUTO_TEST_CASE(two_copies_in_one_process) {
    const Copy copy;
    const Loaded one(LLM_LIBRARY_FILE), two(copy.path.string());
    BOOST_TEST_REQUIRE((one.model_open != two.model_open));
    const std::vector<float> expected = one.evaluate();
    BOOST_TEST_REQUIRE(!expected.empty());
    for (int round = 0; round < 5; ++round) {
        std::vector<float> from_one, from_two;
        std::thread thread([&] { from_two = two.evaluate(); });
        from_one = one.evaluate();
        thread.join();
        BOOST_TEST((from_one == expected && from_two == expected));
    }
}

BOOST_AUTO_TEST_CASE(a_handle_of_one_copy_is_none_of_the_other) {
    const Copy copy;
    const Loaded one(LLM_LIBRARY_FILE), two(copy.path.string());
    std::vector<llm_model *> models(3);  // both copies have handles in the same places
    for (const Loaded *library : {&one, &two})
        for (llm_model *&model : models)
            BOOST_TEST(library->model_open(&model, model_bytes().data(), model_bytes().size(), nullptr) == LLM_OK);
    llm_model_info info = LLM_MODEL_INFO_INIT;
    for (llm_model *model : models) {
        BOOST_TEST(two.model_info(&info, model) == LLM_OK);
        BOOST_TEST(one.model_info(&info, model) == LLM_ERROR_ARGUMENT);
        one.model_close(model);
        BOOST_TEST(two.model_info(&info, model) == LLM_OK);
        two.model_close(model);
    }
}

}  // namespace llm::test
