// What the handles of llm.h stand for: a counted reference to an object of the engine, and the flag that keeps a second
// thread out. `required(handle, name)` is how a function gets at it.
#pragma once

#include "base/error.h"
#include "base/log.h"
#include "capi/barrier.h"
#include "engine/context.h"
#include "engine/generation.h"
#include "engine/model.h"
#include "engine/run_list.h"
#include "engine/support.h"
#include "sampler/sampler.h"

#include <atomic>
#include <memory>
#include <type_traits>

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

// An object that belongs to this thread until the end of the call. LLM_ERROR_BUSY when another is in it.
template <class T>
class Entered {
public:
    Entered(Exclusive<T> &whole, const char *what) : enter_(whole.busy, what), object_(whole.object) {}

    T &operator*() const { return object_; }
    T *operator->() const { return &object_; }

private:
    Enter enter_;
    T &object_;
};

struct ModelRecord : HandleRecord {
    static constexpr HandleKind kind = HandleKind::model;
    std::shared_ptr<const Model> model;
    ModelFacts facts;  // whose texts llm_model_get_info() lends
};

struct ContextRecord : HandleRecord {
    static constexpr HandleKind kind = HandleKind::context;
    std::shared_ptr<Exclusive<Context>> context;
};

struct BatchRecord : HandleRecord {
    static constexpr HandleKind kind = HandleKind::batch;
    Exclusive<RunList> list;
};

struct SamplerRecord : HandleRecord {
    static constexpr HandleKind kind = HandleKind::sampler;
    std::shared_ptr<Exclusive<Sampler>> sampler;
};

struct GenerationRecord : HandleRecord {
    static constexpr HandleKind kind = HandleKind::generation;
    std::shared_ptr<Exclusive<Context>> context;
    std::shared_ptr<Exclusive<Sampler>> sampler;
    Exclusive<Generation> generation;
    Generation::Chunk chunk;  // the text that the last call lent

    GenerationRecord(std::shared_ptr<Exclusive<Context>> c, std::shared_ptr<Exclusive<Sampler>> s,
                     std::vector<llm_token> prompt, GenerationOptions options)
        : context(std::move(c)),
          sampler(std::move(s)),
          generation(Exclusive<Context>::share(context), Exclusive<Sampler>::share(sampler), std::move(prompt),
                     std::move(options)) {}
};

// The record behind a pointer to an opaque type of llm.h, which is a number of the handle table and never followed.
template <class Opaque>
struct RecordOf;
template <>
struct RecordOf<llm_model> : std::type_identity<ModelRecord> {};
template <>
struct RecordOf<llm_context> : std::type_identity<ContextRecord> {};
template <>
struct RecordOf<llm_batch> : std::type_identity<BatchRecord> {};
template <>
struct RecordOf<llm_sampler> : std::type_identity<SamplerRecord> {};
template <>
struct RecordOf<llm_generation> : std::type_identity<GenerationRecord> {};

template <class Opaque>
concept Handle = requires {
    typename RecordOf<std::remove_const_t<Opaque>>::type;
};
template <Handle Opaque>
using Record = typename RecordOf<std::remove_const_t<Opaque>>::type;

template <Handle Opaque>
HandlePin pin_handle(Opaque *handle) noexcept {
    return {handle, Record<Opaque>::kind};
}

// The record of a handle, which stays until the call returns. LLM_ERROR_ARGUMENT unless the handle is open.
template <Handle Opaque>
Record<Opaque> &required(Opaque *handle, const char *name) {
    if (!handle) fail(LLM_ERROR_ARGUMENT, "argument '", name, "' is NULL");
    HandlePin pin = pin_handle(handle);
    if (!pin) fail(LLM_ERROR_ARGUMENT, "argument '", name, "' is not open: it was closed, or is something else");
    return static_cast<Record<Opaque> &>(CallScope::keep(std::move(pin)));
}

inline Entered<Context> entered(const llm_context *context) {
    return {*required(context, "context").context, "context"};
}
inline Entered<Sampler> entered(const llm_sampler *sampler) {
    return {*required(sampler, "sampler").sampler, "sampler"};
}
inline Entered<RunList> entered(llm_batch *batch) { return {required(batch, "batch").list, "batch"}; }

// read(record), or `otherwise` when the handle is not open: for functions that return no status.
template <Handle Opaque, class Value, class Read>
Value value_of(Opaque *handle, Value otherwise, Read read) noexcept {
    const HandlePin pin = pin_handle(handle);
    return pin ? read(static_cast<Record<Opaque> &>(pin.record())) : otherwise;
}

// Makes a handle of a record, and gives it to the caller.
template <Handle Opaque>
void give_handle(Opaque **out, std::unique_ptr<Record<Opaque>> record) {
    *out = static_cast<Opaque *>(make_handle(Record<Opaque>::kind, std::move(record)));
}

// Takes back one owner. NULL is nothing to close; a handle that is not open is left alone.
template <Handle Opaque>
void close_handle(Opaque *handle) noexcept {
    if (!handle) return;
    if (const HandlePin pin = pin_handle(handle))
        pin.remove_owner();
    else if (log_enabled(LLM_LOG_WARNING))
        log_line(LLM_LOG_WARNING, "an object was closed that is not open");
}

}  // namespace llm
