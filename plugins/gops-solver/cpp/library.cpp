// The functions that `_native.py` calls: a C interface, which no version of Python matters to.
// Arrays are checked for their size here: the solver trusts its callers. Each function returns what
// is wrong, or nullptr; no exception crosses the border.
#include <algorithm>
#include <exception>
#include <stdexcept>
#include <string>

#include "kernels.hpp"
#include "patterns.hpp"
#include "points_layer.hpp"
#include "prizes.hpp"
#include "stage.hpp"
#include "widest.hpp"
#include "win_layer.hpp"

#define EXPORT extern "C" __attribute__((visibility("default")))
#define FUNCTION EXPORT const char*

namespace {

template <typename Number>
struct Array {
    Number* first;
    std::size_t count;

    Number* data() const { return first; }
    std::size_t size() const { return count; }
    Number* begin() const { return first; }
    Number* end() const { return first + count; }
};

// Numbers of one of several types, which their size tells apart.
struct Values {
    const void* first;
    std::size_t count;
    std::size_t bytes;  // of each

    std::size_t size() const { return count; }

    template <typename Call>
    void visit(Call call) const {
        if (bytes == sizeof(double)) {
            call(static_cast<const double*>(first));
        } else if (bytes == sizeof(float)) {
            call(static_cast<const float*>(first));
        } else {
            call(static_cast<const std::int16_t*>(first));
        }
    }
};

using Prizes = Array<const int>;
using Kept = Array<const gops::Pattern>;
using Progress = gops::Progress;
static_assert(sizeof(Progress) == sizeof(double) + sizeof(double));  // as `_native.py` has it

template <typename Work>
const char* guard(Work work) {
    thread_local std::string problem;
    try {
        work();
        return nullptr;
    } catch (const std::exception& exception) {
        problem = exception.what();
        return problem.c_str();
    }
}

void require(bool right, const char* what) {
    if (!right) throw std::invalid_argument(what);
}

void require_job(int cards, int held, int threads, int lanes) {
    require(cards >= 1 && cards <= gops::kMostCards, "prizes: 1 to 15");
    require(held >= 1 && held <= cards, "held: 1 to as many as there are prizes");
    require(threads >= 1, "threads: 1 or more");
    const auto can = gops::lanes_supported();
    require(std::find(can.begin(), can.end(), lanes) != can.end(),
            "lanes: not what this processor can run");
}

// What a layer is about: the prizes that are played for, and the patterns here and below.
struct Job {
    const std::vector<int> prizes;
    int held;
    Kept kept, kept_below;

    Job(Prizes all, int held, Kept kept, Kept kept_below)
        : prizes(all.begin(), all.end()), held(held), kept(kept), kept_below(kept_below) {}

    int cards() const { return static_cast<int>(prizes.size()); }
    std::size_t places() const { return kept.size() * gops::sets_of(cards(), held).size(); }
    std::size_t places_below() const {
        return kept_below.size() * gops::sets_of(cards(), held - 1).size();
    }
};

gops::Patterns patterns(Kept kept) { return {kept.data(), kept.size()}; }

// Let the caller own numbers until it calls `release_patterns`.
Array<gops::Pattern> owned(const std::vector<gops::Pattern>& found) {
    auto* copy = new gops::Pattern[found.size()];
    std::copy(found.begin(), found.end(), copy);
    return {copy, found.size()};
}

// The arrays of a layer of the win objective: `starts` by row, the others by row and prize set.
gops::WinRows checked(Array<const std::int16_t> secured, Array<const std::int16_t> held_to,
                      Array<const std::int64_t> starts, std::size_t rows, std::size_t sets,
                      std::size_t values) {
    require(secured.size() == rows * sets && held_to.size() == rows * sets,
            "bounds: not the size of their layer");
    require(starts.size() == rows + 1 && starts.data()[0] == 0 &&
                starts.data()[rows] == static_cast<std::int64_t>(values),
            "starts: not those of the values");
    return {{secured.data(), held_to.data()}, starts.data()};
}

gops::WinValues win_values(const Values& values) {
    if (values.bytes == sizeof(float)) return {nullptr, static_cast<const float*>(values.first)};
    return {static_cast<const double*>(values.first), nullptr};
}

// What the stage's numbers are read from and written to is as large as they say, and the hands are
// of one size.
gops::Stage checked(gops::Pattern pattern, int prize, std::size_t set, std::size_t sets,
                    std::size_t rows, std::size_t places, std::size_t numbers) {
    const auto mine = gops::ranks_held(pattern, 0), theirs = gops::ranks_held(pattern, 1);
    require(mine.size() == theirs.size() && mine.size() > 1, "pattern: two cards a hand or more");
    require(set < sets && rows * sets == places, "below: not the size of its layer");
    require(numbers == mine.size() * mine.size(), "out: not the size of the stage");
    return {pattern, prize, set, sets};
}

}  // namespace

EXPORT const int MOST_CARDS = gops::kMostCards;

FUNCTION lanes_supported(Array<int> out, std::size_t* count) {
    return guard([&] {
        const auto lanes = gops::lanes_supported();
        require(lanes.size() <= out.size(), "out: too small");
        std::copy(lanes.begin(), lanes.end(), out.begin());
        *count = lanes.size();
    });
}

FUNCTION kept_patterns(int cards, int held, int level, Array<gops::Pattern>* found) {
    return guard([&] {
        require(cards >= 1 && cards <= gops::kMostCards, "cards: 1 to 15");
        require(held >= 0 && held <= cards, "held: 0 to cards");
        *found = owned(gops::kept_patterns(cards, held, level != 0));
    });
}

FUNCTION patterns_below(Kept kept, Array<gops::Pattern>* found) {
    return guard([&] { *found = owned(gops::patterns_below(patterns(kept))); });
}

FUNCTION release_patterns(Array<gops::Pattern> found) {
    delete[] found.first;
    return nullptr;
}

FUNCTION solve_points(Prizes prizes, int held, Kept kept, Kept kept_below,
                      Array<const double> below, Array<double> out, int threads, int lanes,
                      Progress* progress) {
    return guard([&] {
        const Job job(prizes, held, kept, kept_below);
        require_job(job.cards(), held, threads, lanes);
        require(below.size() == job.places_below(), "below: not the size of its layer");
        require(out.size() == job.places(), "out: not the size of its layer");
        const gops::PointsLayer layer{job.prizes, held,  patterns(kept), patterns(kept_below),
                                      threads,    lanes, below.data(),   out.data()};
        layer.solve(*progress);
    });
}

FUNCTION win_bounds(Prizes prizes, int held, Kept kept, Kept kept_below,
                    Array<const std::int16_t> secured_below,
                    Array<const std::int16_t> held_to_below, Array<std::int16_t> secured,
                    Array<std::int16_t> held_to, int threads, Progress* progress) {
    return guard([&] {
        const Job job(prizes, held, kept, kept_below);
        require_job(job.cards(), held, threads, 2);
        const std::size_t below = job.places_below(), here = job.places();
        require(secured_below.size() == below && held_to_below.size() == below,
                "below: not the size of its layer");
        require(secured.size() == here && held_to.size() == here, "not the size of its layer");
        const gops::WinBounds layer{job.prizes,
                                    held,
                                    patterns(kept),
                                    patterns(kept_below),
                                    threads,
                                    {secured_below.data(), held_to_below.data()},
                                    secured.data(),
                                    held_to.data()};
        layer.solve(*progress);
    });
}

// Tell where the values of each row begin, and where the last end.
FUNCTION row_starts(Array<const std::int16_t> secured, Array<const std::int16_t> held_to,
                    Array<const int> gone, Array<std::int64_t> out) {
    return guard([&] {
        require(gone.size() > 0 && secured.size() % gone.size() == 0 &&
                    held_to.size() == secured.size(),
                "bounds: not of the same places");
        const std::size_t rows = secured.size() / gone.size();
        require(out.size() == rows + 1, "out: one for each row and one more");
        const auto starts = gops::row_starts({secured.data(), held_to.data()},
                                             {gone.begin(), gone.end()}, rows);
        std::copy(starts.begin(), starts.end(), out.begin());
    });
}

FUNCTION solve_win(Prizes prizes, int gone, int held, Kept kept, Kept kept_below,
                   Array<const std::int16_t> secured_below,
                   Array<const std::int16_t> held_to_below,
                   Array<const std::int64_t> starts_below, Values below,
                   Array<const std::int16_t> secured, Array<const std::int16_t> held_to,
                   Array<const std::int64_t> starts, Array<double> out, int threads, int lanes,
                   Progress* progress) {
    return guard([&] {
        const Job job(prizes, held, kept, kept_below);
        require_job(job.cards(), held, threads, lanes);
        const std::size_t sets_below = gops::sets_of(job.cards(), held - 1).size();
        const std::size_t sets = gops::sets_of(job.cards(), held).size();
        const gops::WinLayer layer{
            job.prizes, gone, held, patterns(kept), patterns(kept_below), threads, lanes,
            checked(secured_below, held_to_below, starts_below, kept_below.size(), sets_below,
                    below.size()),
            win_values(below),
            checked(secured, held_to, starts, kept.size(), sets, out.size()),
            out.data()};
        layer.solve(*progress);
    });
}

FUNCTION points_stage(gops::Pattern pattern, int prize, std::size_t set, std::size_t sets,
                      Kept kept, Values values, Array<double> out) {
    return guard([&] {
        const auto stage =
            checked(pattern, prize, set, sets, kept.size(), values.size(), out.size());
        values.visit([&](const auto* numbers) {
            gops::points_stage(stage, patterns(kept), numbers, out.data());
        });
    });
}

FUNCTION win_stage(gops::Pattern pattern, int prize, std::size_t set, std::size_t sets, Kept kept,
                   Array<const std::int16_t> secured, Array<const std::int16_t> held_to,
                   Array<const std::int64_t> starts, Values values, int difference,
                   Array<const int> gone, Array<double> out) {
    return guard([&] {
        const auto stage =
            checked(pattern, prize, set, sets, kept.size(), secured.size(), out.size());
        require(gone.size() == sets, "gone: one for each prize set");
        const auto rows = checked(secured, held_to, starts, kept.size(), sets, values.size());
        values.visit([&](const auto* numbers) {
            gops::win_stage(stage, patterns(kept), rows, numbers, difference, gone.data(),
                            out.data());
        });
    });
}

FUNCTION widest(Array<const double> matrix, Array<double> weights, double* value) {
    return guard([&] {
        const std::size_t rows = weights.size();
        const std::size_t columns = rows == 0 ? 0 : matrix.size() / rows;
        require(rows >= 1 && rows <= gops::kMostCards && columns >= 1 &&
                    columns <= gops::kMostCards && rows * columns == matrix.size(),
                "matrix: 1 to 15 rows and columns");
        const gops::Mixed found =
            gops::widest(matrix.data(), static_cast<int>(rows), static_cast<int>(columns));
        std::copy(found.weights.begin(), found.weights.end(), weights.begin());
        *value = found.value;
    });
}
