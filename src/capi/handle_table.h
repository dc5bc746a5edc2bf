// The handles that callers hold: not addresses but numbers, looked up at every call. A handle that was closed, or that
// is of another kind or no handle at all, is found out and becomes a status instead of undefined behaviour.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <utility>

namespace llm {

enum class HandleKind : uint8_t { model = 1, context, sampler, generation, batch };

// What a handle stands for. Destroyed when the handle is closed and no call uses it any more.
class HandleRecord {
public:
    virtual ~HandleRecord() = default;
};

// A place of the table. Its memory is never given back, so that a look into it is always safe.
struct HandleSlot {
    // generation << 32 | pins. A pin keeps the record; being open counts as one. A slot without pins is free, and its
    // generation is that of the next handle.
    std::atomic<uint64_t> state{0};
    std::atomic<uint32_t> owners{0};  // closes that are still to come; 0: closed
    std::atomic<uint32_t> next_free{0};
    uint32_t index = 0;
    HandleKind kind{};
    HandleRecord *record = nullptr;
};

// A record that cannot go away as long as this object lives. Takes no lock and no memory.
class HandlePin {
public:
    HandlePin() = default;
    // Empty unless `handle` is open and of that kind.
    HandlePin(const void *handle, HandleKind kind) noexcept;
    HandlePin(HandlePin &&other) noexcept : slot_(std::exchange(other.slot_, nullptr)) {}
    HandlePin &operator=(HandlePin &&other) noexcept {
        std::swap(slot_, other.slot_);
        return *this;
    }
    ~HandlePin();

    explicit operator bool() const { return slot_ != nullptr; }
    HandleRecord &record() const { return *slot_->record; }

    // One more close is needed.
    void add_owner() const noexcept;
    // Takes back one; with the last, the handle is closed from now on.
    void remove_owner() const noexcept;

private:
    HandleSlot *slot_ = nullptr;
};

// A new handle with one owner. LLM_ERROR_LIMIT when there are too many.
void *make_handle(HandleKind kind, std::unique_ptr<HandleRecord> record);

}  // namespace llm
