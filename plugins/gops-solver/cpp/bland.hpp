// The simplex with Bland's rule, which cannot go in circles, in the widest numbers there are.
#pragma once

#include "sizes.hpp"

namespace {

// Maximise the sum of y >= 0 with M y <= 1, all of M above 0; then, if asked, any one of y among the
// solutions. Variable j < columns is y_j, variable columns + i what row i leaves over.
class Bland {
public:
    // `entry(i, j)` gives M.
    template <typename Entry>
    void start(int rows, int columns, Entry entry) {
        rows_ = rows;
        columns_ = columns;
        for (int i = 0; i < rows_; ++i) {
            for (int j = 0; j < columns_; ++j) table_[i][j] = entry(i, j);
            table_[i][columns_] = 1;
            inside_[i] = columns_ + i;
        }
        for (int j = 0; j < columns_; ++j) {
            table_[rows_][j] = -1;
            outside_[j] = j;
            fixed_[j] = false;
        }
        table_[rows_][columns_] = 0;
    }

    // Go on until nothing gains; give the most that was reached.
    long double maximise() {
        for (int step = 0; step < kEnough; ++step) {
            const int entering = first_gain();
            if (entering < 0) break;
            const int leaving = first_limit(entering);
            if (leaving < 0) break;
            exchange(leaving, entering);
        }
        return table_[rows_][columns_];
    }

    // Stay among the solutions found: what would lose more than `nothing` remains 0 from now on.
    void stay(long double nothing) {
        for (int j = 0; j < columns_; ++j) fixed_[j] = table_[rows_][j] > nothing;
    }

    // From now on maximise y_j alone.
    void prefer(int variable) {
        for (int j = 0; j <= columns_; ++j) table_[rows_][j] = 0;
        for (int j = 0; j < columns_; ++j)
            if (outside_[j] == variable) table_[rows_][j] = -1;
        for (int i = 0; i < rows_; ++i)
            if (inside_[i] == variable)
                for (int j = 0; j <= columns_; ++j) table_[rows_][j] = table_[i][j];
    }

    // Add y to `sums`.
    void add_to(long double* sums) const {
        for (int i = 0; i < rows_; ++i)
            if (inside_[i] < columns_ && table_[i][columns_] > 0)
                sums[inside_[i]] += table_[i][columns_];
    }

private:
    static constexpr long double kNothing = 1e-14L;
    // Numbers that ought to be level differ by rounding, and a pivot that is only such a difference
    // spoils all the others: with 1e-14 here, two games in 100,000 came out wrong.
    static constexpr long double kLeastPivot = 1e-10L;
    static constexpr int kEnough = 10000;  // rounding could make it go in circles after all
    int rows_ = 0, columns_ = 0;
    long double table_[kMostBids + 1][kMostBids + 1];  // last column: limits; last row: gains
    int inside_[kMostBids], outside_[kMostBids];       // which variable a row, a column stands for
    bool fixed_[kMostBids];                            // columns that stay outside

    // The column of the first variable that gains, or -1.
    int first_gain() const {
        int found = -1;
        for (int j = 0; j < columns_; ++j)
            if (!fixed_[j] && table_[rows_][j] < -kNothing &&
                (found < 0 || outside_[j] < outside_[found]))
                found = j;
        return found;
    }

    // The row that gives out first, of several the one of the first variable, or -1.
    int first_limit(int entering) const {
        int found = -1;
        long double least = 0;
        for (int i = 0; i < rows_; ++i) {
            if (table_[i][entering] <= kLeastPivot) continue;
            const long double ratio = table_[i][columns_] / table_[i][entering];
            const bool level = found >= 0 && ratio == least;
            if (found < 0 || ratio < least || (level && inside_[i] < inside_[found])) {
                found = i;
                least = ratio;
            }
        }
        return found;
    }

    void exchange(int leaving, int entering) {
        const long double pivot = table_[leaving][entering];
        for (int j = 0; j <= columns_; ++j)
            if (j != entering) table_[leaving][j] /= pivot;
        for (int i = 0; i <= rows_; ++i) {
            if (i == leaving) continue;
            const long double times = table_[i][entering];
            for (int j = 0; j <= columns_; ++j)
                if (j != entering) table_[i][j] -= times * table_[leaving][j];
            table_[i][entering] = -times / pivot;
        }
        table_[leaving][entering] = 1 / pivot;
        const int variable = inside_[leaving];
        inside_[leaving] = outside_[entering];
        outside_[entering] = variable;
    }
};

}  // namespace
