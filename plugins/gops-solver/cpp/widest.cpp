#include "widest.hpp"

#include <algorithm>

#include "bland.hpp"

namespace gops {

namespace {

constexpr long double kSlack = 1e-9L;   // how much less than the value may be secured, as a share
constexpr long double kLeast = 1e-7L;   // a smaller weight is rounding

}  // namespace

Mixed widest(const double* matrix, int rows, int columns) {
    // The rows' player of M is the columns' player of -M', whose program Bland solves.
    const double shift = *std::max_element(matrix, matrix + rows * columns) + 1;
    Bland simplex;
    simplex.start(columns, rows,
                  [&](int i, int j) { return static_cast<long double>(shift) - matrix[j * columns + i]; });
    const long double total = simplex.maximise();
    simplex.stay(kSlack);
    std::vector<long double> sums(static_cast<std::size_t>(rows));
    for (int row = 0; row < rows; ++row) {
        simplex.prefer(row);
        simplex.maximise();
        simplex.add_to(sums.data());
    }
    long double all = 0;
    for (long double& sum : sums) {
        if (sum < kLeast * rows * total) sum = 0;
        all += sum;
    }
    Mixed found{static_cast<double>(shift - 1 / total), {}};
    for (const long double sum : sums) found.weights.push_back(static_cast<double>(sum / all));
    return found;
}

}  // namespace gops
