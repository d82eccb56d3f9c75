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

// A layer below or here: where the values of each pattern and prize set begin, and its bounds.
struct WinRows {
    Bounds bounds;
    const std::int64_t* starts;
};

// What follows a pair of bids: where the row of its pattern begins, and who takes the prize.
struct WinFollow {
    std::int64_t row;
    bool flipped;  // seen from the other side: the mirrored pattern is kept
    int wins;      // 1, 0 or -1 prizes for me
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

// All games of one pattern. The values of each prize set, from where its row begins, are added up
// in `out` and divided by the cards held.
struct WinTask {
    int rows, columns;
    int held;
    const WinFollow* follow;
    int set_count;
    const Ups* sets;  // that are left, by rank below
    WinRows below;
    const double* values_below;
    WinRows here;
    std::int64_t row, width;
    double* scratch;  // a line for each pair of bids: twice the points of all prizes, and 32 more
    double* out;
};

using WinKernel = void (*)(const WinTask& task);

void solve_win_2(const WinTask& task);
void solve_win_4(const WinTask& task);
void solve_win_8(const WinTask& task);

}  // namespace gops
