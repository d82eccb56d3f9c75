// What the kernel of the win objective is told, and its three builds.
#pragma once

#include <cstdint>

namespace gops {

// The values of a position by the difference so far: `count` numbers from difference `first` on.
// Below it is lost (-1), above it is won (+1).
struct Line {
    const double* values;
    int first;
    int count;
};

// What follows a pair of bids: a line, seen from the other side where the mirrored pattern is kept.
struct WinFollow {
    Line line;
    bool flipped;
    int wins;  // 1, 0 or -1 prizes for me
};

// All games with one prize turned up, over a range of differences. The values are added to `out`.
struct WinTask {
    int rows, columns;
    int points;  // of the prize
    int first, count;
    const WinFollow* follow;
    double* scratch;  // rows x columns x (count + 8) numbers
    double* out;
};

// Solves several tasks of one shape, which should be like each other.
using WinKernel = void (*)(const WinTask* tasks, int count);

void solve_win_2(const WinTask* tasks, int count);
void solve_win_4(const WinTask* tasks, int count);
void solve_win_8(const WinTask* tasks, int count);

}  // namespace gops
