// Loops of given instructions, which no compiler rearranges: they take the time that the instructions need. Only for
// x86-64 with the assembler of GCC and Clang.
#pragma once

// The compiler knows nothing of the registers above xmm15 where it compiles for the baseline.
#define LOOP_CLOBBERS                                                                                                 \
    "cc", "memory", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11", \
        "xmm12", "xmm13", "xmm14", "xmm15"

// X("0") to X("11"), for instance the same instruction with twelve registers, so that none waits for another.
#define TWELVE(X) X("0") X("1") X("2") X("3") X("4") X("5") X("6") X("7") X("8") X("9") X("10") X("11")

// Runs `prepare` once and `body` `rounds` times (a variable of type long, 0 afterwards). %1 is the address `data`.
#define INSTRUCTION_LOOP(rounds, data, prepare, body) \
    asm volatile(prepare "1:\n" body "dec %0\n jnz 1b\n vzeroupper\n" : "+r"(rounds) : "r"(data) : LOOP_CLOBBERS)
