// Numbers side by side: a vector of LANES doubles, and what to do with them.
//
// Included by sources that are compiled once for each number of lanes, each time with the flags of
// another processor. All is in an unnamed namespace, and the standard library's templates are
// shunned: the linker keeps one copy of what is shared, and that might be the one for the processor
// that this machine is not.
#pragma once

#include <cstdint>

#if defined(__SSE2__)
#include <immintrin.h>
#endif

#ifndef LANES
#error "LANES: how many doubles go side by side"
#endif

namespace {

typedef double Numbers __attribute__((vector_size(8 * LANES)));
typedef std::int64_t Mask __attribute__((vector_size(8 * LANES)));  // all bits set, or none

inline Numbers all(double number) { return number - Numbers{}; }

inline Mask all_lanes(std::int64_t number) { return number - Mask{}; }

inline Numbers larger(Numbers a, Numbers b) { return a > b ? a : b; }

inline Numbers smaller(Numbers a, Numbers b) { return a < b ? a : b; }

// One bit for each lane whose mask is set.
inline unsigned lanes_set(Mask mask) {
#if LANES == 8 && defined(__AVX512DQ__)
    return static_cast<unsigned>(_mm512_movepi64_mask(reinterpret_cast<__m512i>(mask)));
#elif LANES == 4 && defined(__AVX__)
    return static_cast<unsigned>(_mm256_movemask_pd(reinterpret_cast<__m256d>(mask)));
#elif LANES == 2 && defined(__SSE2__)
    return static_cast<unsigned>(_mm_movemask_pd(reinterpret_cast<__m128d>(mask)));
#else
    unsigned bits = 0;
    for (int lane = 0; lane < LANES; ++lane) bits |= (mask[lane] != 0 ? 1u : 0u) << lane;
    return bits;
#endif
}

// The number of each lane: 0, 1, ...
inline Mask lane_numbers() {
    Mask numbers;
    for (int lane = 0; lane < LANES; ++lane) numbers[lane] = lane;
    return numbers;
}

inline Numbers load(const double* from) {
    Numbers numbers;
    __builtin_memcpy(&numbers, from, sizeof numbers);
    return numbers;
}

inline Numbers load(const float* from) {
    typedef float Floats __attribute__((vector_size(4 * LANES)));
    Floats floats;
    __builtin_memcpy(&floats, from, sizeof floats);
    return __builtin_convertvector(floats, Numbers);
}

inline void store(Numbers numbers, double* to) { __builtin_memcpy(to, &numbers, sizeof numbers); }

// The last first.
inline Numbers reversed(Numbers numbers) {
#if defined(__clang__)
    Numbers turned;  // which it knows to be a permutation
    for (int lane = 0; lane < LANES; ++lane) turned[lane] = numbers[LANES - 1 - lane];
    return turned;
#else
    return __builtin_shuffle(numbers, LANES - 1 - lane_numbers());
#endif
}

}  // namespace
