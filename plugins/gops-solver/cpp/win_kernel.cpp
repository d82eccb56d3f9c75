// The games of one pattern, prize set and prize, LANES differences at a time. Compiled once for each
// number of lanes.
#include "win.hpp"

#include "equilibrium.hpp"

namespace {

using gops::Line;
using gops::WinFollow;
using gops::WinTask;

constexpr double kShift = 2;  // makes all numbers positive

// Write what a line holds for `count` differences from `from` on.
void write_line(const Line& line, int from, int count, double* out) {
    const int end = line.first + line.count;
    int at = 0;
    for (; at < count && from + at < line.first; ++at) out[at] = -1 + kShift;
    for (; at < count && from + at < end; ++at) out[at] = line.values[from + at - line.first] + kShift;
    for (; at < count; ++at) out[at] = 1 + kShift;
}

// The same seen from the other side: V(d) = -V'(-d).
void write_flipped(const Line& line, int from, int count, double* out) {
    const int end = -line.first + 1;  // after it is won
    const int start = end - line.count;
    int at = 0;
    for (; at < count && from + at < start; ++at) out[at] = -1 + kShift;
    for (; at < count && from + at < end; ++at) out[at] = kShift - line.values[-from - at - line.first];
    for (; at < count; ++at) out[at] = 1 + kShift;
}

void write_all(const WinTask& task, int width) {
    for (int at = 0; at < task.rows * task.columns; ++at) {
        const WinFollow& follow = task.follow[at];
        const int from = task.first + follow.wins * task.points;
        const auto write = follow.flipped ? write_flipped : write_line;
        write(follow.line, from, width, task.scratch + at * width);
    }
}

void fill(Matrix& games, const double* numbers, int width) {
    for (int at = 0; at < games.rows * games.columns; ++at)
        __builtin_memcpy(&games.entry[at], numbers + at * width, sizeof(Numbers));
}

constexpr int kRegions = 16;

void solve(const WinTask& task, Matrix& games, Guesses* guesses, Equilibrium& equilibrium) {
    const int width = (task.count + LANES - 1) / LANES * LANES;
    write_all(task, width);
    for (int at = 0; at < task.count; at += LANES) {
        fill(games, task.scratch + at, width);
        const int region = at / LANES < kRegions ? at / LANES : kRegions - 1;
        const Numbers values = equilibrium.values(games, guesses[region]);
        const int lanes = task.count - at < LANES ? task.count - at : LANES;
        for (int lane = 0; lane < lanes; ++lane) task.out[at + lane] += values[lane] - kShift;
    }
}

// Neighbouring prize sets have like games where as much of the range is below the difference.
void solve_all(const WinTask* tasks, int count) {
    Matrix games;
    games.rows = tasks->rows;
    games.columns = tasks->columns;
    games.tolerance = 1e-12;
    Guesses guesses[kRegions];
    Equilibrium equilibrium;
    for (int at = 0; at < count; ++at) solve(tasks[at], games, guesses, equilibrium);
}

}  // namespace

namespace gops {

#define GOPS_NAMED(lanes) solve_win_##lanes
#define GOPS_NAME(lanes) GOPS_NAMED(lanes)

void GOPS_NAME(LANES)(const WinTask* tasks, int count) { solve_all(tasks, count); }

}  // namespace gops
