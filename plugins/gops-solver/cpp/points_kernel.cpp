// The games of one pattern, LANES prize sets at a time. Compiled once for each number of lanes.
#include "points.hpp"

#include "equilibrium.hpp"
#include "places.hpp"

namespace {

using gops::Follow;
using gops::PointsTask;
using gops::Prize;

// What a bid brings at once, and what makes all numbers positive.
inline void fill(Matrix& games, const PointsTask& task, const Places& places, double points) {
    const int count = task.rows * task.columns;
    for (int at = 0; at < count; ++at) {
        const Follow& follow = task.follow[at];
        games.entry[at] =
            places.read(follow.values) * follow.sign + (follow.wins * points + task.shift);
    }
}

// Lanes past the end of the list solve its last game again, and are not counted.
inline void add(const PointsTask& task, const Prize& prize, int at, Numbers values) {
    const int count = prize.count - at < LANES ? prize.count - at : LANES;
    for (int lane = 0; lane < count; ++lane)
        task.out[prize.here[at + lane]] += values[lane] - task.shift;
}

void solve(const PointsTask& task) {
    Matrix games;
    games.rows = task.rows;
    games.columns = task.columns;
    games.tolerance = 1e-13 * task.shift;
    Equilibrium equilibrium;
    Guesses guesses;
    for (int i = 0; i < task.width; ++i) task.out[i] = 0;
    for (int c = 0; c < task.prize_count; ++c) {
        const Prize& prize = task.prizes[c];
        for (int at = 0; at < prize.count; at += LANES) {
            const Places places(prize.below + at, task.width_below);
            fill(games, task, places, prize.points);
            add(task, prize, at, equilibrium.values(games, LANES, guesses));
        }
    }
    for (int i = 0; i < task.width; ++i) task.out[i] /= task.held;
}

}  // namespace

namespace gops {

#define GOPS_NAMED(lanes) solve_points_##lanes
#define GOPS_NAME(lanes) GOPS_NAMED(lanes)

void GOPS_NAME(LANES)(const PointsTask& task) { solve(task); }

}  // namespace gops
