// What Python sees. Arrays are checked for their size here: the solver trusts its callers.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/function.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <memory>
#include <string>

#include "kernels.hpp"
#include "patterns.hpp"
#include "points_layer.hpp"
#include "prizes.hpp"
#include "stage.hpp"
#include "widest.hpp"
#include "win_layer.hpp"

namespace nb = nanobind;

namespace {

template <typename Number>
using Array = nb::ndarray<Number, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Tick = std::function<void(double)>;

void require(bool right, const char* what) {
    if (!right) throw nb::value_error(what);
}

void require_job(int cards, int held, int threads, int lanes) {
    require(cards >= 1 && cards <= gops::kMostCards, "prizes: 1 to 15");
    require(held >= 1 && held <= cards, "held: 1 to as many as there are prizes");
    require(threads >= 1, "threads: 1 or more");
    const auto can = gops::lanes_supported();
    require(std::find(can.begin(), can.end(), lanes) != can.end(),
            "lanes: not what this processor can run");
}

using Kept = Array<const gops::Pattern>;

// What a layer is about: the prizes that are played for, and the patterns here and below.
struct Job {
    const std::vector<int>& prizes;
    int held;
    const Kept &kept, &kept_below;

    int cards() const { return static_cast<int>(prizes.size()); }
    std::size_t places() const { return kept.size() * gops::sets_of(cards(), held).size(); }
    std::size_t places_below() const {
        return kept_below.size() * gops::sets_of(cards(), held - 1).size();
    }
};

gops::Patterns patterns(const Kept& kept) { return {kept.data(), kept.size()}; }

// Let Python own numbers.
template <typename Number>
nb::ndarray<nb::numpy, Number> owned(std::vector<Number> found) {
    auto held = std::make_unique<std::vector<Number>>(std::move(found));
    const std::size_t count = held->size();
    Number* data = held->data();
    const nb::capsule owner(held.release(), [](void* held_by_python) noexcept {
        delete static_cast<std::vector<Number>*>(held_by_python);
    });
    return {data, {count}, owner};
}

// In Python's own time: let it see to Ctrl-C, then tell how far it is.
Tick with_python(const Tick& tick) {
    return [&tick](double share) {
        const nb::gil_scoped_acquire gil;
        if (PyErr_CheckSignals() != 0) throw nb::python_error();
        tick(share);
    };
}

nb::ndarray<nb::numpy, std::uint32_t> kept_patterns(int cards, int held, bool level) {
    require(cards >= 1 && cards <= gops::kMostCards, "cards: 1 to 15");
    require(held >= 0 && held <= cards, "held: 0 to cards");
    return owned(gops::kept_patterns(cards, held, level));
}

nb::ndarray<nb::numpy, std::uint32_t> patterns_below(const Kept& kept) {
    return owned(gops::patterns_below(patterns(kept)));
}

void solve_points(const std::vector<int>& prizes, int held, const Kept& kept,
                  const Kept& kept_below, const Array<const double>& below,
                  const Array<double>& out, int threads, int lanes, const Tick& tick) {
    const Job job{prizes, held, kept, kept_below};
    require_job(job.cards(), held, threads, lanes);
    require(below.size() == job.places_below(), "below: not the size of its layer");
    require(out.size() == job.places(), "out: not the size of its layer");
    const gops::PointsLayer layer{prizes,  held,  patterns(kept), patterns(kept_below),
                                  threads, lanes, below.data(),   out.data()};
    const nb::gil_scoped_release release;
    layer.solve(with_python(tick));
}

void win_bounds(const std::vector<int>& prizes, int held, const Kept& kept,
                const Kept& kept_below, const Array<const std::int16_t>& secured_below,
                const Array<const std::int16_t>& held_to_below, const Array<std::int16_t>& secured,
                const Array<std::int16_t>& held_to, int threads, const Tick& tick) {
    const Job job{prizes, held, kept, kept_below};
    require_job(job.cards(), held, threads, 2);
    const std::size_t below = job.places_below(), here = job.places();
    require(secured_below.size() == below && held_to_below.size() == below,
            "below: not the size of its layer");
    require(secured.size() == here && held_to.size() == here, "not the size of its layer");
    const gops::WinBounds layer{prizes,
                                held,
                                patterns(kept),
                                patterns(kept_below),
                                threads,
                                {secured_below.data(), held_to_below.data()},
                                secured.data(),
                                held_to.data()};
    const nb::gil_scoped_release release;
    layer.solve(with_python(tick));
}

// The arrays of a layer of the win objective as Python passes them: `starts` by row, the others by
// row and prize set.
struct Rows {
    const Array<const std::int16_t> &secured, &held_to;
    const Array<const std::int64_t>& starts;

    gops::WinRows checked(std::size_t rows, std::size_t sets, std::size_t values) const {
        require(secured.size() == rows * sets && held_to.size() == rows * sets,
                "bounds: not the size of their layer");
        require(starts.size() == rows + 1 && starts.data()[0] == 0 &&
                    starts.data()[rows] == static_cast<std::int64_t>(values),
                "starts: not those of the values");
        return {{secured.data(), held_to.data()}, starts.data()};
    }
};

// Give Python where the values of each row begin, and where the last end.
nb::ndarray<nb::numpy, std::int64_t> row_starts(const Array<const std::int16_t>& secured,
                                                const Array<const std::int16_t>& held_to,
                                                const Array<const int>& gone) {
    require(gone.size() > 0 && secured.size() % gone.size() == 0 &&
                held_to.size() == secured.size(),
            "bounds: not of the same places");
    return owned(gops::row_starts({secured.data(), held_to.data()},
                                  {gone.data(), gone.data() + gone.size()},
                                  secured.size() / gone.size()));
}

gops::WinValues win_values(const Array<const double>& values) { return {values.data(), nullptr}; }

gops::WinValues win_values(const Array<const float>& values) { return {nullptr, values.data()}; }

template <typename Number>
void solve_win(const std::vector<int>& prizes, int gone, int held, const Kept& kept,
               const Kept& kept_below, const Array<const std::int16_t>& secured_below,
               const Array<const std::int16_t>& held_to_below,
               const Array<const std::int64_t>& starts_below, const Array<const Number>& below,
               const Array<const std::int16_t>& secured, const Array<const std::int16_t>& held_to,
               const Array<const std::int64_t>& starts, const Array<double>& out, int threads,
               int lanes, const Tick& tick) {
    const Job job{prizes, held, kept, kept_below};
    require_job(job.cards(), held, threads, lanes);
    const Rows rows_below{secured_below, held_to_below, starts_below};
    const Rows rows_here{secured, held_to, starts};
    const gops::WinLayer layer{
        prizes, gone, held, patterns(kept), patterns(kept_below), threads, lanes,
        rows_below.checked(kept_below.size(), gops::sets_of(job.cards(), held - 1).size(),
                           below.size()),
        win_values(below),
        rows_here.checked(kept.size(), gops::sets_of(job.cards(), held).size(), out.size()),
        out.data()};
    const nb::gil_scoped_release release;
    layer.solve(with_python(tick));
}

using Matrix = nb::ndarray<nb::numpy, double, nb::ndim<2>>;

// Let Python own an array.
Matrix given(std::vector<double> numbers, std::size_t rows, std::size_t columns) {
    auto held = std::make_unique<std::vector<double>>(std::move(numbers));
    double* data = held->data();
    const nb::capsule owner(held.release(), [](void* held_by_python) noexcept {
        delete static_cast<std::vector<double>*>(held_by_python);
    });
    return {data, {rows, columns}, owner};
}

// What the stage's numbers are read from is as large as they say, and the hands are of one size.
gops::Stage checked(gops::Pattern pattern, int prize, std::size_t set, std::size_t sets,
                    std::size_t rows, std::size_t places) {
    const auto mine = gops::ranks_held(pattern, 0), theirs = gops::ranks_held(pattern, 1);
    require(mine.size() == theirs.size() && mine.size() > 1, "pattern: two cards a hand or more");
    require(set < sets && rows * sets == places, "below: not the size of its layer");
    return {pattern, prize, set, sets};
}

template <typename Number>
Matrix points_stage(gops::Pattern pattern, int prize, std::size_t set, std::size_t sets,
                    const Array<const gops::Pattern>& kept, const Array<const Number>& values) {
    const auto stage = checked(pattern, prize, set, sets, kept.size(), values.size());
    const auto held = static_cast<std::size_t>(gops::cards_held(pattern));
    std::vector<double> out(held * held);
    gops::points_stage(stage, {kept.data(), kept.size()}, values.data(), out.data());
    return given(std::move(out), held, held);
}

template <typename Number>
Matrix win_stage(gops::Pattern pattern, int prize, std::size_t set, std::size_t sets,
                 const Array<const gops::Pattern>& kept,
                 const Array<const std::int16_t>& secured,
                 const Array<const std::int16_t>& held_to,
                 const Array<const std::int64_t>& starts, const Array<const Number>& values,
                 int difference, const Array<const int>& gone) {
    const auto stage = checked(pattern, prize, set, sets, kept.size(), secured.size());
    require(gone.size() == sets, "gone: one for each prize set");
    const gops::WinRows rows =
        Rows{secured, held_to, starts}.checked(kept.size(), sets, values.size());
    const auto held = static_cast<std::size_t>(gops::cards_held(pattern));
    std::vector<double> out(held * held);
    gops::win_stage(stage, {kept.data(), kept.size()}, rows, values.data(), difference,
                    gone.data(), out.data());
    return given(std::move(out), held, held);
}

nb::tuple widest(const nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>& matrix) {
    require(matrix.shape(0) >= 1 && matrix.shape(0) <= gops::kMostCards && matrix.shape(1) >= 1 &&
                matrix.shape(1) <= gops::kMostCards,
            "matrix: 1 to 15 rows and columns");
    const std::size_t rows = matrix.shape(0);
    gops::Mixed found = gops::widest(matrix.data(), static_cast<int>(rows),
                                     static_cast<int>(matrix.shape(1)));
    return nb::make_tuple(found.value, given(std::move(found.weights), 1, rows));
}

template <typename Number>
void bring_win_stage(nb::module_& module) {
    module.def("win_stage", &win_stage<Number>, nb::arg("pattern"), nb::arg("prize"),
               nb::arg("set"), nb::arg("sets"), nb::arg("kept"), nb::arg("secured"),
               nb::arg("held_to"), nb::arg("starts"), nb::arg("values"), nb::arg("difference"),
               nb::arg("gone"));
}

// What takes values of either type.
template <typename Number>
void bring_values(nb::module_& module) {
    module.def("solve_win", &solve_win<Number>, nb::arg("prizes"), nb::arg("gone"),
               nb::arg("held"), nb::arg("kept"), nb::arg("kept_below"),
               nb::arg("secured_below"), nb::arg("held_to_below"), nb::arg("starts_below"),
               nb::arg("below"), nb::arg("secured"), nb::arg("held_to"), nb::arg("starts"),
               nb::arg("out"), nb::arg("threads"), nb::arg("lanes"), nb::arg("tick"));
    module.def("points_stage", &points_stage<Number>, nb::arg("pattern"), nb::arg("prize"),
               nb::arg("set"), nb::arg("sets"), nb::arg("kept"), nb::arg("values"));
    bring_win_stage<Number>(module);
}

}  // namespace

NB_MODULE(_native, module) {
    module.attr("MOST_CARDS") = gops::kMostCards;
    module.def("lanes_supported", &gops::lanes_supported);
    module.def("kept_patterns", &kept_patterns, nb::arg("cards"), nb::arg("held"),
               nb::arg("level"));
    module.def("patterns_below", &patterns_below, nb::arg("kept"));
    module.def("solve_points", &solve_points, nb::arg("prizes"), nb::arg("held"), nb::arg("kept"),
               nb::arg("kept_below"), nb::arg("below"),
               nb::arg("out"), nb::arg("threads"), nb::arg("lanes"), nb::arg("tick"));
    module.def("win_bounds", &win_bounds, nb::arg("prizes"), nb::arg("held"), nb::arg("kept"),
               nb::arg("kept_below"),
               nb::arg("secured_below"), nb::arg("held_to_below"), nb::arg("secured"),
               nb::arg("held_to"), nb::arg("threads"), nb::arg("tick"));
    module.def("row_starts", &row_starts, nb::arg("secured"), nb::arg("held_to"), nb::arg("gone"));
    module.def("widest", &widest, nb::arg("matrix"));
    bring_values<double>(module);
    bring_values<float>(module);
    bring_win_stage<std::int16_t>(module);
}
