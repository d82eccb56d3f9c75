// One layer of the points objective: positions with so many cards a hand.
#pragma once

#include <cstddef>
#include <vector>

#include "crew.hpp"
#include "patterns.hpp"

namespace gops {

// `below` holds a row for each pattern of `kept_below`, of `held` - 1 cards, and in it a number for
// each set of the prizes; `out` gets the same for `kept`, of `held` cards. `lanes` must be supported.
struct PointsLayer {
    std::vector<int> prizes;
    int held;
    Patterns kept, kept_below;
    int threads, lanes;
    const double* below;
    double* out;

    void solve(Progress& progress) const;
};

}  // namespace gops
