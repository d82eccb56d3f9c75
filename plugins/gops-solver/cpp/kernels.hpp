// Which build of the kernels this machine can run.
#pragma once

#include <vector>

#include "points.hpp"
#include "win.hpp"

namespace gops {

struct Kernels {
    PointsKernel points;
    WinKernel win;
};

// The numbers of lanes that this processor can run, ascending; 2 is always one.
std::vector<int> lanes_supported();

// The build with so many lanes, which must be one of those supported.
const Kernels& kernels_of(int lanes);

}  // namespace gops
