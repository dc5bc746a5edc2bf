// Slots stand in blocks that double in size; free ones form a list. All steps are single atomic exchanges: a look-up
// may come from a signal handler, and in a forked child no lock can be missing its owner.
#include "capi/handle_table.h"

#include "base/error.h"

#include <bit>

namespace llm {

namespace {

// A handle is mark : 4 bits, kind : 4, index : 24, generation : 32. The mark makes it an address that no process has.
static_assert(sizeof(void *) == 8, "handles need 64 bits");
constexpr uint64_t mark = 4;
constexpr int kind_shift = 56, index_shift = 32, mark_shift = 60;
constexpr uint32_t index_mask = (1u << 24) - 1;
constexpr uint64_t generation_step = uint64_t{1} << 32;

constexpr uint32_t first_block_size = 64;
constexpr int block_count = 18;  // together almost as many slots as there are indexes

// The block of an index, and its place there. Index 0 is not used: it ends the list of free slots.
struct Place {
    int block;
    uint32_t offset;

    explicit Place(uint32_t index)
        : block(std::bit_width(index / first_block_size + 1) - 1),
          offset(index - first_block_size * ((1u << block) - 1)) {}
};

constexpr uint32_t slots_in(int block) { return first_block_size << block; }
constexpr uint32_t last_index = first_block_size * ((1u << block_count) - 1) - 1;
static_assert(last_index <= index_mask);

// Never destroyed: calls may come until the very end of the process.
std::atomic<HandleSlot *> blocks[block_count];
std::atomic<uint32_t> used_indexes{1};
std::atomic<uint64_t> free_list{0};  // count of changes << 32 | index of the first

// Added to the generation in a handle, so that a handle of another copy of the library is none of this one.
uint32_t salt() { return static_cast<uint32_t>(reinterpret_cast<uintptr_t>(blocks) >> 3); }

HandleSlot &slot_at(uint32_t index) {
    const Place place(index);
    return blocks[place.block].load(std::memory_order_acquire)[place.offset];
}

// Null for an index whose block was never needed.
HandleSlot *find_slot(uint32_t index) {
    if (index > last_index) return nullptr;
    const Place place(index);
    HandleSlot *block = blocks[place.block].load(std::memory_order_acquire);
    return block ? block + place.offset : nullptr;
}

uint64_t list_head(uint64_t old_head, uint32_t index) { return ((old_head >> 32) + 1) << 32 | index; }

void put_back(HandleSlot &slot) noexcept {
    uint64_t head = free_list.load(std::memory_order_relaxed);
    do slot.next_free.store(static_cast<uint32_t>(head), std::memory_order_relaxed);
    while (!free_list.compare_exchange_weak(head, list_head(head, slot.index), std::memory_order_release,
                                            std::memory_order_relaxed));
}

// An index from the list, or 0.
uint32_t take_free() {
    uint64_t head = free_list.load(std::memory_order_acquire);
    while (const auto index = static_cast<uint32_t>(head)) {
        const uint32_t next = slot_at(index).next_free.load(std::memory_order_relaxed);
        if (free_list.compare_exchange_weak(head, list_head(head, next), std::memory_order_acquire)) return index;
    }
    return 0;
}

void need_block(int number) {
    if (blocks[number].load(std::memory_order_acquire)) return;
    auto fresh = std::make_unique<HandleSlot[]>(slots_in(number));
    HandleSlot *none = nullptr;
    if (blocks[number].compare_exchange_strong(none, fresh.get(), std::memory_order_acq_rel)) (void)fresh.release();
}

uint32_t take_unused() {
    uint32_t index = used_indexes.load(std::memory_order_relaxed);
    do {
        if (index > last_index) fail(LLM_ERROR_LIMIT, "more than ", last_index, " objects are open");
        need_block(Place(index).block);
    } while (!used_indexes.compare_exchange_weak(index, index + 1, std::memory_order_relaxed));
    return index;
}

uint32_t pins_of(uint64_t state) { return static_cast<uint32_t>(state); }

// Whether the slot was in use as that generation.
bool pin(HandleSlot &slot, uint32_t generation) noexcept {
    uint64_t state = slot.state.load(std::memory_order_relaxed);
    do
        if (state >> 32 != generation || pins_of(state) == 0) return false;
    while (!slot.state.compare_exchange_weak(state, state + 1, std::memory_order_acquire, std::memory_order_relaxed));
    return true;
}

void unpin(HandleSlot &slot) noexcept {
    const uint64_t before = slot.state.fetch_sub(1, std::memory_order_acq_rel);
    if (pins_of(before) != 1) return;
    // Without pins nobody but this thread comes here.
    delete slot.record;
    slot.record = nullptr;
    slot.state.store(before - 1 + generation_step, std::memory_order_relaxed);
    put_back(slot);
}

}  // namespace

HandlePin::HandlePin(const void *handle, HandleKind kind) noexcept {
    const auto value = reinterpret_cast<uint64_t>(handle);
    if (value >> kind_shift != (mark << (mark_shift - kind_shift) | static_cast<uint64_t>(kind))) return;
    HandleSlot *slot = find_slot(static_cast<uint32_t>(value >> index_shift) & index_mask);
    if (!slot || !pin(*slot, static_cast<uint32_t>(value) - salt())) return;
    // Without owners it was closed, and a call is still using it.
    if (slot->kind != kind || slot->owners.load(std::memory_order_acquire) == 0)
        unpin(*slot);
    else
        slot_ = slot;
}

HandlePin::~HandlePin() {
    if (slot_) unpin(*slot_);
}

void HandlePin::add_owner() const noexcept {
    uint32_t owners = slot_->owners.load(std::memory_order_relaxed);
    while (owners != 0 && !slot_->owners.compare_exchange_weak(owners, owners + 1, std::memory_order_relaxed)) {
    }
}

void HandlePin::remove_owner() const noexcept {
    uint32_t owners = slot_->owners.load(std::memory_order_relaxed);
    while (owners != 0 && !slot_->owners.compare_exchange_weak(owners, owners - 1, std::memory_order_acq_rel)) {
    }
    if (owners == 1) unpin(*slot_);
}

void *make_handle(HandleKind kind, std::unique_ptr<HandleRecord> record) {
    uint32_t index = take_free();
    if (index == 0) index = take_unused();
    HandleSlot &slot = slot_at(index);
    slot.index = index;
    slot.kind = kind;
    slot.record = record.release();
    slot.owners.store(1, std::memory_order_relaxed);
    const auto generation = static_cast<uint32_t>(slot.state.load(std::memory_order_relaxed) >> 32);
    slot.state.store(generation * generation_step | 1, std::memory_order_release);
    return reinterpret_cast<void *>(mark << mark_shift | static_cast<uint64_t>(kind) << kind_shift |
                                    static_cast<uint64_t>(index) << index_shift | (generation + salt()));
}

}  // namespace llm
