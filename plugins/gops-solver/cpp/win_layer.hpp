// One layer of the win objective: all positions with so many cards a hand, and all differences
// that decide nothing yet.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

#include "win.hpp"

namespace gops {

// Computes the bounds of a layer from those of the layer below.
struct WinBounds {
    int cards, held, threads;
    Bounds below;
    std::int16_t *secured, *held_to;

    void solve(const std::function<void(double)>& tick) const;
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
