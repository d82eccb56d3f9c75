// One layer of the win objective: positions with so many cards a hand, and all differences
// that decide nothing yet.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

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

    void solve(const std::function<void(double)>& tick) const;
};

struct WinLayer {
    std::vector<int> prizes;
    int gone;  // points, before these prizes
    int held;
    Patterns kept, kept_below;
    int threads, lanes;
    WinRows below;
    const double* values_below;
    WinRows here;
    double* out;

    void solve(const std::function<void(double)>& tick) const;
};

}  // namespace gops
