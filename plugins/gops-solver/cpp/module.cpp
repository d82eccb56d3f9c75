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
    require(cards >= 2 && cards <= gops::kMostCards, "cards: 2 to 15");
    require(held >= 1 && held < cards, "held: 1 to cards - 1");
    require(threads >= 1, "threads: 1 or more");
    const auto can = gops::lanes_supported();
    require(std::find(can.begin(), can.end(), lanes) != can.end(),
            "lanes: not what this processor can run");
}

std::size_t rows_of(int cards, int held, bool level) {
    return gops::kept_patterns(cards, held, level).size() * gops::sets_of(cards, held).size();
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
    auto kept = std::make_unique<std::vector<gops::Pattern>>(
        gops::kept_patterns(cards, held, level));
    const std::size_t count = kept->size();
    gops::Pattern* data = kept->data();
    const nb::capsule owner(kept.release(), [](void* held_by_python) noexcept {
        delete static_cast<std::vector<gops::Pattern>*>(held_by_python);
    });
    return {data, {count}, owner};
}

void solve_points(int cards, int held, const Array<const double>& below, const Array<double>& out,
                  int threads, int lanes, const Tick& tick) {
    require_job(cards, held, threads, lanes);
    require(below.size() == rows_of(cards, held - 1, false), "below: not the size of its layer");
    require(out.size() == rows_of(cards, held, false), "out: not the size of its layer");
    const gops::PointsLayer layer{cards, held, threads, lanes, below.data(), out.data()};
    const nb::gil_scoped_release release;
    layer.solve(with_python(tick));
}

void win_bounds(int cards, int held, const Array<const std::int16_t>& secured_below,
                const Array<const std::int16_t>& held_to_below, const Array<std::int16_t>& secured,
                const Array<std::int16_t>& held_to, int threads, const Tick& tick) {
    require_job(cards, held, threads, 2);
    const std::size_t below = rows_of(cards, held - 1, true), here = rows_of(cards, held, true);
    require(secured_below.size() == below && held_to_below.size() == below,
            "below: not the size of its layer");
    require(secured.size() == here && held_to.size() == here, "not the size of its layer");
    const gops::WinBounds layer{cards, held, threads,
                                {secured_below.data(), held_to_below.data()},
                                secured.data(), held_to.data()};
    const nb::gil_scoped_release release;
    layer.solve(with_python(tick));
}

// The arrays of a layer of the win objective as Python passes them.
struct Rows {
    Array<const std::int16_t> secured, held_to;
    Array<const std::int64_t> starts;

    gops::WinRows checked(std::size_t count, std::size_t values) const {
        require(secured.size() == count && held_to.size() == count && starts.size() == count + 1,
                "bounds: not the size of their layer");
        require(starts.data()[0] == 0 &&
                    starts.data()[count] == static_cast<std::int64_t>(values),
                "starts: not those of the values");
        return {{secured.data(), held_to.data()}, starts.data()};
    }
};

void solve_win(int cards, int held, const Array<const std::int16_t>& secured_below,
               const Array<const std::int16_t>& held_to_below,
               const Array<const std::int64_t>& starts_below, const Array<const double>& below,
               const Array<const std::int16_t>& secured, const Array<const std::int16_t>& held_to,
               const Array<const std::int64_t>& starts, const Array<double>& out, int threads,
               int lanes, const Tick& tick) {
    require_job(cards, held, threads, lanes);
    const Rows rows_below{secured_below, held_to_below, starts_below};
    const Rows rows_here{secured, held_to, starts};
    const gops::WinLayer layer{
        cards, held, threads, lanes,
        rows_below.checked(rows_of(cards, held - 1, true), below.size()), below.data(),
        rows_here.checked(rows_of(cards, held, true), out.size()), out.data()};
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
                 int difference, int gone) {
    const auto stage = checked(pattern, prize, set, sets, kept.size(), secured.size());
    const gops::WinRows rows = Rows{secured, held_to, starts}.checked(secured.size(), values.size());
    const auto held = static_cast<std::size_t>(gops::cards_held(pattern));
    std::vector<double> out(held * held);
    gops::win_stage(stage, {kept.data(), kept.size()}, rows, values.data(), difference, gone,
                    out.data());
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
void bring_stages(nb::module_& module) {
    module.def("points_stage", &points_stage<Number>, nb::arg("pattern"), nb::arg("prize"),
               nb::arg("set"), nb::arg("sets"), nb::arg("kept"), nb::arg("values"));
    module.def("win_stage", &win_stage<Number>, nb::arg("pattern"), nb::arg("prize"),
               nb::arg("set"), nb::arg("sets"), nb::arg("kept"), nb::arg("secured"),
               nb::arg("held_to"), nb::arg("starts"), nb::arg("values"), nb::arg("difference"),
               nb::arg("gone"));
}

}  // namespace

NB_MODULE(_native, module) {
    module.attr("MOST_CARDS") = gops::kMostCards;
    module.def("lanes_supported", &gops::lanes_supported);
    module.def("kept_patterns", &kept_patterns, nb::arg("cards"), nb::arg("held"),
               nb::arg("level"));
    module.def("solve_points", &solve_points, nb::arg("cards"), nb::arg("held"), nb::arg("below"),
               nb::arg("out"), nb::arg("threads"), nb::arg("lanes"), nb::arg("tick"));
    module.def("win_bounds", &win_bounds, nb::arg("cards"), nb::arg("held"),
               nb::arg("secured_below"), nb::arg("held_to_below"), nb::arg("secured"),
               nb::arg("held_to"), nb::arg("threads"), nb::arg("tick"));
    module.def("solve_win", &solve_win, nb::arg("cards"), nb::arg("held"),
               nb::arg("secured_below"), nb::arg("held_to_below"), nb::arg("starts_below"),
               nb::arg("below"), nb::arg("secured"), nb::arg("held_to"), nb::arg("starts"),
               nb::arg("out"), nb::arg("threads"), nb::arg("lanes"), nb::arg("tick"));
    module.def("widest", &widest, nb::arg("matrix"));
    bring_stages<double>(module);
    bring_stages<float>(module);
}
