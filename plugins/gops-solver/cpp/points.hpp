// What the kernel of the points objective is told, and its three builds.
#pragma once

#include <cstdint>

namespace gops {

// A game of a pattern: where the values of what follows are, and who takes the prize.
struct Follow {
    const double* values;  // by rank of the prize set
    double sign;           // -1 where the mirrored pattern is kept
    double wins;           // 1, 0 or -1 prizes for me
};

// The prize sets without one prize: their ranks below, and with the prize added, here.
struct Prize {
    double points;
    int count;
    const std::int32_t* below;
    const std::int32_t* here;
};

// All games of one pattern. The value for each prize set is added up in `out`, which is `width`
// numbers, and divided by the cards held.
struct PointsTask {
    int rows, columns;
    int held;
    int width, width_below;
    double shift;  // more than any value is below 0
    const Follow* follow;
    const Prize* prizes;
    int prize_count;
    double* out;
};

using PointsKernel = void (*)(const PointsTask&);

void solve_points_2(const PointsTask& task);
void solve_points_4(const PointsTask& task);
void solve_points_8(const PointsTask& task);

}  // namespace gops
