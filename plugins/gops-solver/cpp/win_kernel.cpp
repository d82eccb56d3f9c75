// The games of one pattern, LANES differences at a time. Compiled once for each number of lanes.
#include "win.hpp"

#include "equilibrium.hpp"

namespace {

using gops::Up;
using gops::Ups;
using gops::WinFollow;
using gops::WinTask;

constexpr double kShift = 2;  // makes all numbers positive
constexpr int kRegions = 16;

// The values that are kept for a prize set, by difference.
template <typename Number>
struct Values {
    const Number* values;
    Range range;

    double one(int difference) const { return values[difference - range.first]; }

    Numbers several(int first) const { return load(values + (first - range.first)); }
};

// The same seen from the other side: V(d) = -V'(-d).
template <typename Number>
struct Flipped {
    Values<Number> seen;
    Range range;

    explicit Flipped(const Values<Number>& values)
        : seen(values), range{1 - values.range.end, 1 - values.range.first} {}

    double one(int difference) const { return -seen.one(-difference); }

    Numbers several(int first) const { return -reversed(seen.several(1 - LANES - first)); }
};

// May write a register further than `count`.
inline void repeat(double number, int count, double* out) {
    for (int at = 0; at < count; at += LANES) store(all(number), out + at);
}

// The last register goes back to end where the range does.
template <typename Kept>
inline void copy(const Kept& values, const Range& range, double* out) {
    if (range.count() < LANES) {
        for (int d = range.first; d < range.end; ++d) *out++ = values.one(d) + kShift;
        return;
    }
    const int last = range.end - LANES;
    for (int d = range.first; d < last; d += LANES)
        store(values.several(d) + kShift, out + (d - range.first));
    store(values.several(last) + kShift, out + (last - range.first));
}

// Write the values for all of a range, kept or decided.
template <typename Kept>
inline void write_line(const Kept& values, const Range& range, double* out) {
    const Range open{range.nearest(values.range.first), range.nearest(values.range.end)};
    repeat(kShift - 1, open.first - range.first, out);
    copy(values, open, out + (open.first - range.first));
    repeat(kShift + 1, range.end - open.end, out + (open.end - range.first));
}

class Solver {
public:
    explicit Solver(const WinTask& task) : task_(task) {
        games_.rows = task.rows;
        games_.columns = task.columns;
        games_.tolerance = 1e-12;
    }

    void solve() {
        const std::int64_t end = task_.places[task_.width];
        for (std::int64_t at = 0; at < end; ++at) task_.out[at] = 0;
        for (int set = 0; set < task_.set_count; ++set) solve_set(set);
        for (std::int64_t at = 0; at < end; ++at) task_.out[at] /= task_.held;
    }

private:
    const WinTask& task_;
    Matrix games_;
    Equilibrium equilibrium_;
    // Neighbouring prize sets have like games where the prize that is up is the same, and as much
    // of the range is below the difference.
    Guesses guesses_[kMostBids][kRegions];
    Range lines_{};  // what the scratch holds of each line

    Range kept_here(const Ups& ups, const Up& up) const {
        return kept(task_.here, up.here, ups.gone - up.points);
    }

    // The lines are the same whichever of the prizes was up.
    void solve_set(int set) {
        const Ups& ups = task_.sets[set];
        lines_ = all_needed(ups);
        if (lines_.count() <= 0) return;
        if (task_.values_below.doubles)
            write_lines(task_.values_below.doubles, set, ups.gone);
        else
            write_lines(task_.values_below.floats, set, ups.gone);
        for (const Up* up = ups.first; up != ups.first + ups.count; ++up)
            solve_prize(up->points, kept_here(ups, *up),
                        task_.out + task_.places[up->here]);
    }

    // The differences after the bids, and what a last register holds besides.
    Range all_needed(const Ups& ups) const {
        Range needed{ups.gone, -ups.gone};
        for (const Up* up = ups.first; up != ups.first + ups.count; ++up) {
            const Range range = kept_here(ups, *up);
            if (range.count() == 0) continue;
            needed.first = least(needed.first, range.first - up->points);
            needed.end = most(needed.end, range.end + up->points + LANES);
        }
        return needed;
    }

    template <typename Number>
    void write_lines(const Number* below, int set, int gone) {
        const std::int64_t width = task_.set_count;
        double* out = task_.scratch;
        for (int at = 0; at < task_.rows * task_.columns; ++at, out += lines_.count()) {
            const WinFollow& follow = task_.follow[at];
            const Values<Number> values{below + task_.places_below[at * width + set],
                                        kept(task_.below, follow.row * width + set, gone)};
            if (follow.flipped)
                write_line(Flipped<Number>(values), lines_, out);
            else
                write_line(values, lines_, out);
        }
    }

    void solve_prize(int points, const Range& range, double* out) {
        for (int d = range.first; d < range.end; d += LANES) {
            fill(d, points);
            const int count = least(range.end - d, LANES);
            Guesses& guesses =
                guesses_[points - 1][least((d - range.first) / LANES, kRegions - 1)];
            const Numbers values = equilibrium_.values(games_, count, guesses);
            for (int lane = 0; lane < count; ++lane) *out++ += values[lane] - kShift;
        }
    }

    void fill(int difference, int points) {
        const double* line = task_.scratch + (difference - lines_.first);
        for (int at = 0; at < task_.rows * task_.columns; ++at, line += lines_.count())
            games_.entry[at] = load(line + task_.follow[at].wins * points);
    }
};

}  // namespace

namespace gops {

#define GOPS_NAMED(lanes) solve_win_##lanes
#define GOPS_NAME(lanes) GOPS_NAMED(lanes)

void GOPS_NAME(LANES)(const WinTask& task) { Solver(task).solve(); }

}  // namespace gops
