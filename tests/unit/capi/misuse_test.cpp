// Every function of the interface that takes a handle, with each handle in turn closed, of another kind, of no kind, or
// NULL: a status comes back, and nothing is touched. The functions are those of tests/abi/exports.golden.
#include "support/session.h"
#include "support/tiny_llama.h"

#include <boost/test/unit_test.hpp>

#include <array>
#include <cstring>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

namespace llm::test {

namespace {

template <class T>
concept Complete = requires {
    sizeof(T);
};

// A pointer to an opaque type.
template <class T>
constexpr bool is_handle = std::is_pointer_v<T> && !Complete<std::remove_pointer_t<T>> &&
                           !std::is_void_v<std::remove_pointer_t<T>> && !std::is_function_v<std::remove_pointer_t<T>>;

// Live objects, and what arguments that are no handle point to.
struct World {
    ModelPointer model = open_model(tiny_llama().bytes());
    Session session{model.get(), precise_options(64)};
    BatchPointer batch = new_batch();
    SamplerPointer sampler;
    GenerationPointer generation;
    // Struct sizes and texts alike: as a struct it has one field, as a text it is short.
    alignas(16) std::array<unsigned char, 4096> memory{};

    World() {
        const llm_token prompt[] = {65, 66};
        llm_sampler *new_sampler = nullptr;
        llm_generation *new_generation = nullptr;
        check(llm_sampler_new(&new_sampler, nullptr));
        sampler.reset(new_sampler);
        check(llm_generation_start(&new_generation, session.get(), sampler.get(), prompt, 2, nullptr));
        generation.reset(new_generation);
    }

    void *live(const llm_model *) { return model.get(); }
    void *live(const llm_context *) { return session.get(); }
    void *live(const llm_batch *) { return batch.get(); }
    void *live(const llm_sampler *) { return sampler.get(); }
    void *live(const llm_generation *) { return generation.get(); }

    template <class T>
    T argument() {
        if constexpr (is_handle<T> && requires(T handle) { live(handle); })
            return static_cast<T>(live(T{}));
        else if constexpr (is_handle<T> || std::is_function_v<std::remove_pointer_t<T>>)
            return nullptr;
        else if constexpr (std::is_pointer_v<T>)
            return reinterpret_cast<T>(const_cast<std::remove_cv_t<std::remove_pointer_t<T>> *>(
                reinterpret_cast<const std::remove_cv_t<std::remove_pointer_t<T>> *>(memory.data())));
        else
            return T{};
    }
};

// Values that are no open handle of the type that the function wants.
std::vector<void *> wrong_handles(World &world, void *right) {
    llm_sampler *closed_sampler = nullptr;
    check(llm_sampler_new(&closed_sampler, nullptr));
    llm_sampler_close(closed_sampler);
    llm_context *closed_context = nullptr;
    check(llm_context_new(&closed_context, world.model.get(), nullptr));
    llm_context_close(closed_context);
    std::vector<void *> wrong = {nullptr,
                                 closed_sampler,
                                 closed_context,
                                 world.memory.data(),
                                 reinterpret_cast<void *>(1),
                                 reinterpret_cast<void *>(UINTPTR_MAX)};
    // Neighbours of a handle in its number.
    for (const uint64_t bit : {0, 31, 32, 40, 55, 56, 58, 60, 63})
        wrong.push_back(reinterpret_cast<void *>(reinterpret_cast<uint64_t>(right) ^ uint64_t{1} << bit));
    for (void *other : {world.live(static_cast<llm_model *>(nullptr)), world.live(static_cast<llm_context *>(nullptr)),
                        world.live(static_cast<llm_batch *>(nullptr)), world.live(static_cast<llm_sampler *>(nullptr)),
                        world.live(static_cast<llm_generation *>(nullptr))})
        if (other != right) wrong.push_back(other);
    return wrong;
}

int calls = 0;

// Calls the function with one of its handles replaced.
template <size_t position, class Result, class... Parameters>
void call_with(World &world, const char *name, Result (*function)(Parameters...), void *handle) {
    world.memory = {sizeof(size_t)};
    std::tuple<Parameters...> arguments(world.argument<Parameters>()...);
    using Wrong = std::tuple_element_t<position, std::tuple<Parameters...>>;
    std::get<position>(arguments) = static_cast<Wrong>(handle);
    ++calls;
    // A token has the type of a status.
    const llm_status expected = name == std::string("llm_special_token") ? LLM_TOKEN_NONE : LLM_ERROR_ARGUMENT;
    if constexpr (std::is_same_v<Result, llm_status>)
        BOOST_TEST(std::apply(function, arguments) == expected, name << " with " << handle);
    else
        std::apply(function, arguments);
}

template <size_t position, class Result, class... Parameters>
void check_position(World &world, const char *name, Result (*function)(Parameters...)) {
    using Parameter = std::tuple_element_t<position, std::tuple<Parameters...>>;
    if constexpr (is_handle<Parameter> && requires(Parameter handle) { world.live(handle); })
        for (void *wrong : wrong_handles(world, world.live(Parameter{})))
            call_with<position>(world, name, function, wrong);
}

template <class Result, class... Parameters>
void check_function(World &world, const char *name, Result (*function)(Parameters...)) {
    [&]<size_t... position>(std::index_sequence<position...>) {
        (check_position<position>(world, name, function), ...);
    }
    (std::index_sequence_for<Parameters...>());
}

}  // namespace

BOOST_AUTO_TEST_CASE(every_function_refuses_what_is_not_its_handle) {
    World world;
#define LLM_FUNCTION(name) check_function(world, #name, name);
#include "functions.inc"
#undef LLM_FUNCTION
    BOOST_TEST_MESSAGE(calls << " calls");
    BOOST_TEST(calls > 500);
    // Nobody was harmed.
    llm_chunk chunk = LLM_CHUNK_INIT;
    BOOST_TEST(llm_generation_next(&chunk, world.generation.get()) == LLM_OK);
}

}  // namespace llm::test
