// What the kernel of the win objective is told, and its three builds.
#pragma once

#include <cstdint>

namespace gops {

// What I can secure and what they can hold me to: the least and the most by which the prizes left
// can change the difference if one of the two wants to. The game is won if d + secured >= 1, and
// lost if d + held_to <= -1. A row for each kept pattern (those that are their own mirror too), a
// number for each prize set.
struct Bounds {
    const std::int16_t* secured;
    const std::int16_t* held_to;
};

// A layer: its bounds, and where the values of each row begin.
struct WinRows {
    Bounds bounds;
    const std::int64_t* starts;
};

// What follows a pair of bids: the row of its pattern, and who takes the prize.
struct WinFollow {
    std::int64_t row;
    bool flipped;  // seen from the other side: the mirrored pattern is kept
    int wins;      // 1, 0 or -1 prizes for me
};

// Values of one of two types.
struct WinValues {
    const double* doubles;
    const float* floats;  // where there are no doubles
};

// A prize that may be up, and the rank here of the prize set with it.
struct Up {
    int points;
    std::int32_t here;
};

// The prizes that may have been up when a prize set is left.
struct Ups {
    int gone;  // the points of all of them
    int count;
    const Up* first;
};

// All games of one pattern. The values of each prize set are added up in `out`, which is the row,
// and divided by the cards held.
struct WinTask {
    int rows, columns;
    int held;
    const WinFollow* follow;
    int set_count;
    const Ups* sets;                     // that are left, by rank below
    Bounds below;
    WinValues values_below;
    const std::int64_t* places_below;    // of the first value, for each pair of bids and set below
    Bounds here;                         // of the row
    int width;
    const std::int64_t* places;          // in `out`, of the first value of each set, and the end
    double* scratch;  // a line for each pair of bids: twice the points of all prizes, and 32 more
    double* out;
};

using WinKernel = void (*)(const WinTask& task);

void solve_win_2(const WinTask& task);
void solve_win_4(const WinTask& task);
void solve_win_8(const WinTask& task);

}  // namespace gops

// In an unnamed namespace, as each build of the kernels has its own.
namespace {

inline int least(int a, int b) { return a < b ? a : b; }

inline int most(int a, int b) { return a > b ? a : b; }

// Differences from `first` to before `end`.
struct Range {
    int first, end;

    int count() const { return end - first; }

    int nearest(int difference) const { return least(most(difference, first), end); }
};

// Those whose values are kept: they decide nothing yet, and the prizes gone can have brought them.
// Below them it is lost (-1), above them it is won (+1).
inline Range kept(const gops::Bounds& bounds, std::int64_t place, int gone) {
    const int first = most(-bounds.held_to[place], -gone);
    return {first, most(first, least(-bounds.secured[place], gone) + 1)};
}

}  // namespace
