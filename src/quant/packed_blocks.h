// The packed blocks of quant/packing.h as structures: sixteen rows each, field for field as described there.
// Included by files that are compiled for one instruction set: it must not define functions.
#pragma once

#include <cstdint>

namespace llm::packed {

struct Nibbles {
    uint32_t dword[4][16];
};
struct OnesPlane {
    uint32_t dword[16];
};
struct TwosPlane {
    uint32_t dword[2][16];
};
struct Bytes {
    uint32_t dword[8][16];
};

// Of each block: units of 32 elements; parts of a unit, which have a scale each; whether there are minima.
struct Q4_0 {
    static constexpr uint32_t units = 1, parts = 1;
    static constexpr bool has_minimum = false;
    uint16_t d[16];
    Nibbles nibbles;
};

struct Q4_1 {
    static constexpr uint32_t units = 1, parts = 1;
    static constexpr bool has_minimum = true;
    uint16_t d[16];
    uint16_t m[16];
    Nibbles nibbles;
};

struct Q5_0 {
    static constexpr uint32_t units = 1, parts = 1;
    static constexpr bool has_minimum = false;
    uint16_t d[16];
    OnesPlane high;
    Nibbles nibbles;
};

struct Q5_1 {
    static constexpr uint32_t units = 1, parts = 1;
    static constexpr bool has_minimum = true;
    uint16_t d[16];
    uint16_t m[16];
    OnesPlane high;
    Nibbles nibbles;
};

struct Q8_0 {
    static constexpr uint32_t units = 1, parts = 1;
    static constexpr bool has_minimum = false;
    uint16_t d[16];
    Bytes bytes;
};

struct IQ4_NL {
    static constexpr uint32_t units = 1, parts = 1;
    static constexpr bool has_minimum = false;
    uint16_t d[16];
    Nibbles nibbles;
};

struct MXFP4 {
    static constexpr uint32_t units = 1, parts = 1;
    static constexpr bool has_minimum = false;
    uint8_t exponent[16];
    Nibbles nibbles;
};

struct Q4_K {
    static constexpr uint32_t units = 8, parts = 1;
    static constexpr bool has_minimum = true;
    struct Unit {
        Nibbles nibbles;
    };
    uint16_t d[16];
    uint16_t dmin[16];
    uint8_t scale[8][16];
    uint8_t minimum[8][16];
    Unit unit[8];
};

struct Q5_K {
    static constexpr uint32_t units = 8, parts = 1;
    static constexpr bool has_minimum = true;
    struct Unit {
        OnesPlane high;
        Nibbles nibbles;
    };
    uint16_t d[16];
    uint16_t dmin[16];
    uint8_t scale[8][16];
    uint8_t minimum[8][16];
    Unit unit[8];
};

struct IQ4_XS {
    static constexpr uint32_t units = 8, parts = 1;
    static constexpr bool has_minimum = false;
    struct Unit {
        Nibbles nibbles;
    };
    uint16_t d[16];
    int8_t scale[8][16];
    Unit unit[8];
};

struct Q2_K {
    static constexpr uint32_t units = 8, parts = 2;
    static constexpr bool has_minimum = true;
    struct Unit {
        TwosPlane low;
    };
    uint16_t d[16];
    uint16_t dmin[16];
    uint8_t scale_minimum[16][16];
    Unit unit[8];
};

struct Q3_K {
    static constexpr uint32_t units = 8, parts = 2;
    static constexpr bool has_minimum = false;
    struct Unit {
        TwosPlane low;
        OnesPlane high;
    };
    uint16_t d[16];
    int8_t scale[16][16];
    Unit unit[8];
};

struct Q6_K {
    static constexpr uint32_t units = 8, parts = 2;
    static constexpr bool has_minimum = false;
    struct Unit {
        TwosPlane high;
        Nibbles nibbles;
    };
    uint16_t d[16];
    int8_t scale[16][16];
    Unit unit[8];
};

static_assert(sizeof(Q4_0) == 288 && sizeof(Q4_1) == 320 && sizeof(Q5_0) == 352 && sizeof(Q5_1) == 384);
static_assert(sizeof(Q8_0) == 544 && sizeof(IQ4_NL) == 288 && sizeof(MXFP4) == 272);
static_assert(sizeof(Q4_K) == 64 + 256 + 2048 && sizeof(Q5_K) == 64 + 256 + 2560 && sizeof(IQ4_XS) == 32 + 128 + 2048);
static_assert(sizeof(Q2_K) == 64 + 256 + 1024 && sizeof(Q3_K) == 32 + 256 + 1536 && sizeof(Q6_K) == 32 + 256 + 3072);

}  // namespace llm::packed
