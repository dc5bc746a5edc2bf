// What the opaque types of llm.h are: a counted reference to an object of the engine, and the flag that keeps a second
// thread out.
#pragma once

#include "base/error.h"
#include "engine/context.h"
#include "engine/generation.h"
#include "engine/model.h"
#include "engine/support.h"
#include "sampler/sampler.h"

#include <atomic>
#include <memory>

namespace llm {

// Set while a thread is inside an object that belongs to one thread at a time.
using BusyFlag = std::atomic<bool>;

// Enters an object for the length of a call; LLM_ERROR_BUSY when somebody is in it.
class Enter {
public:
    Enter(BusyFlag &flag, const char *what) : flag_(flag) {
        if (flag_.exchange(true, std::memory_order_acquire))
            fail(LLM_ERROR_BUSY, "another thread is using this ", what);
    }
    ~Enter() { flag_.store(false, std::memory_order_release); }
    Enter(const Enter &) = delete;
    Enter &operator=(const Enter &) = delete;

private:
    BusyFlag &flag_;
};

// An object of one thread at a time together with its flag, so that both live as long as any handle needs them.
template <class T>
struct Exclusive {
    template <class... Args>
    explicit Exclusive(Args &&...args) : object(std::forward<Args>(args)...) {}

    T object;
    BusyFlag busy{false};

    // A counted reference to the object that keeps the whole alive.
    static std::shared_ptr<T> share(const std::shared_ptr<Exclusive> &whole) { return {whole, &whole->object}; }
};

}  // namespace llm

struct llm_model {
    std::atomic<uint32_t> references{1};
    std::shared_ptr<const llm::Model> model;
    llm::ModelFacts facts;  // whose texts llm_model_get_info() lends
};

struct llm_context {
    std::shared_ptr<llm::Exclusive<llm::Context>> context;
};

struct llm_sampler {
    std::shared_ptr<llm::Exclusive<llm::Sampler>> sampler;
};

struct llm_generation {
    std::shared_ptr<llm::Exclusive<llm::Context>> context;
    std::shared_ptr<llm::Exclusive<llm::Sampler>> sampler;
    llm::Exclusive<llm::Generation> generation;
    llm::Generation::Chunk chunk;  // the text that the last call lent

    llm_generation(std::shared_ptr<llm::Exclusive<llm::Context>> c, std::shared_ptr<llm::Exclusive<llm::Sampler>> s,
                   std::vector<llm_token> prompt, llm::GenerationOptions options)
        : context(std::move(c)),
          sampler(std::move(s)),
          generation(llm::Exclusive<llm::Context>::share(context), llm::Exclusive<llm::Sampler>::share(sampler),
                     std::move(prompt), std::move(options)) {}
};
