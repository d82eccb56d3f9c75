// One layer of the win objective: positions with so many cards a hand, and all differences
// that decide nothing yet.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "crew.hpp"
#include "patterns.hpp"
#include "win.hpp"

namespace gops {

// Computes the bounds of a layer from those of the layer below.
struct WinBounds {
    std::vector<int> prizes;
    int held;
    Patterns kept, kept_below;
    int threads;
    Bounds below;
    std::int16_t *secured, *held_to;

    void solve(Progress& progress) const;
};

// Computes the values of rows of a layer; `kept`, `here` and `out` have those rows and no others.
struct WinLayer {
    std::vector<int> prizes;
    int gone;  // points, before these prizes
    int held;
    Patterns kept, kept_below;
    int threads, lanes;
    WinRows below;
    WinValues values_below;
    WinRows here;
    double* out;

    void solve(Progress& progress) const;
};

// Where the values of each of `count` rows begin, and where the last end, for a place's bounds and
// the points that are gone, by rank of the prize set.
std::vector<std::int64_t> row_starts(const Bounds& bounds, const std::vector<int>& gone,
                                     std::size_t count);

}  // namespace gops
