// What tokens mean that files often do not mark: spellings that the makers of models use for the same purpose.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace llm {

// Each is a control token, whatever the file says of its type.
enum class WellKnownMeaning : uint8_t {
    steers,           // nothing more than that
    ends_generation,  // a generation stops at it
    ends_turn,        // the same, and it is the end-of-turn token when the file names none: the first in the table
};

struct WellKnownToken {
    std::string_view text;
    WellKnownMeaning meaning;
};

std::span<const WellKnownToken> well_known_tokens();

}  // namespace llm
