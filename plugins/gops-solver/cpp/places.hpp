// Reading LANES values of a row that lie near each other.
#pragma once

#include "lanes.hpp"

#if LANES == 8 && defined(__AVX512F__)
#define GOPS_PERMUTES 1  // a register can be filled from anywhere in two others
#else
#define GOPS_PERMUTES 0
#endif

namespace {

// Where LANES prize sets lie in a row of values, ascending. Half of the time they lie side by side;
// where they do not, a register's permutation is quicker than a gather, which reads one by one.
class Places {
public:
    // `ranks`: LANES of them; `width`: how long each row is.
    Places(const std::int32_t* ranks, int width) : ranks_(ranks) {
        const int span = ranks[LANES - 1] - ranks[0] + 1;
        window_ = span == LANES && ascending() ? 1 : span <= 2 * LANES ? 2 : 4;
        first_ = ranks[0];
        if (window_ == 1) return;
        if (span > 4 * LANES || width < window_ * LANES) window_ = 0;
        if (first_ > width - window_ * LANES) first_ = width - window_ * LANES;
        find_offsets();
    }

    Numbers read(const double* values) const {
        if (window_ == 1) return load(values + first_);
#if GOPS_PERMUTES
        if (window_ == 2) return pick(values + first_);
        if (window_ == 4)
            return upper_ ? pick(values + first_ + 2 * LANES) : pick(values + first_);
#endif
        Numbers numbers;
        for (int lane = 0; lane < LANES; ++lane) numbers[lane] = values[ranks_[lane]];
        return numbers;
    }

private:
    const std::int32_t* ranks_;
    int first_;   // where the window begins
    int window_;  // 1: side by side; 2, 4: within so many registers; 0: anywhere
#if GOPS_PERMUTES
    Mask offsets_;  // from there
    Mask upper_;    // the lanes in the second half of a window of 4
#endif

    // At the end of a list the last rank stands several times.
    bool ascending() const {
        for (int lane = 1; lane < LANES; ++lane)
            if (ranks_[lane] == ranks_[lane - 1]) return false;
        return true;
    }

    void find_offsets() {
#if GOPS_PERMUTES
        typedef std::int32_t Ranks __attribute__((vector_size(4 * LANES)));
        Ranks ranks;
        __builtin_memcpy(&ranks, ranks_, sizeof ranks);
        offsets_ = __builtin_convertvector(ranks, Mask) - first_;
        upper_ = offsets_ >= 2 * LANES;
#endif
    }

#if GOPS_PERMUTES
    Numbers pick(const double* values) const {
        return reinterpret_cast<Numbers>(_mm512_permutex2var_pd(
            reinterpret_cast<__m512d>(load(values)), reinterpret_cast<__m512i>(offsets_),
            reinterpret_cast<__m512d>(load(values + LANES))));
    }
#endif
};

}  // namespace
