// One layer of the win objective: all positions with so many cards a hand, and all differences
// that decide nothing yet.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

namespace gops {

// What I can secure and what they can hold me to: the least and the most by which the prizes left
// can change the difference if one of the two wants to. The game is won if d + secured >= 1, and
// lost if d + held_to <= -1. A row for each kept pattern (those that are their own mirror too), a
// number for each prize set.
struct Bounds {
    const std::int16_t* secured;
    const std::int16_t* held_to;
};

// Computes the bounds of a layer from those of the layer below.
struct WinBounds {
    int cards, held, threads;
    Bounds below;
    std::int16_t *secured, *held_to;

    void solve(const std::function<void(double)>& tick) const;
};

// A layer below or here: where the values of each pattern and prize set begin, and its bounds.
struct WinRows {
    Bounds bounds;
    const std::int64_t* starts;
};

struct WinLayer {
    int cards, held, threads, lanes;
    WinRows below;
    const double* values_below;
    WinRows here;
    double* out;

    void solve(const std::function<void(double)>& tick) const;
};

}  // namespace gops
