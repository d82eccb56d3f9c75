// One layer of the points objective: all positions with so many cards a hand.
#pragma once

#include <cstddef>
#include <functional>

namespace gops {

// `below` holds a row for each kept pattern of `held` - 1 cards, a number for each prize set;
// `out` gets the same for `held` cards. `lanes` must be supported. `tick` may throw.
struct PointsLayer {
    int cards, held, threads, lanes;
    const double* below;
    double* out;

    void solve(const std::function<void(double)>& tick) const;
};

}  // namespace gops
