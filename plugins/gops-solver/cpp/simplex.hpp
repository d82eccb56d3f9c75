// The simplex for LANES games side by side, each lane with its own pivots.
//
// Maximise the sum of y >= 0 with M y <= 1. It is used to find the support of a game that no guess
// fits; the value is then computed from the support and certified, so its rounding does no harm.
#pragma once

#include "matrix.hpp"

namespace {

constexpr int kMostSteps = 60;  // a lane that needs more goes to the careful rule
constexpr double kTiny = 1e-11;
constexpr int kSlack = 64;  // variable kSlack + i is what row i leaves over

class Simplex {
public:
    // Run until no live lane can go on.
    void run(const Matrix& games, Mask live) {
        start(games);
        for (int step = 0; step < kMostSteps; ++step) {
            const Mask entering = choose_column();
            Mask going = (entering >= 0) & live;
            if (lanes_set(going) == 0) return;
            copy_column(entering);
            const Mask leaving = choose_row();
            going &= leaving >= 0;
            copy_row(leaving, going);
            exchange(entering, leaving, going);
        }
    }

    // The rows and columns that are in use in this lane, in ascending order.
    Support support(int lane) const {
        bool column_used[kMostBids] = {};
        bool row_used[kMostBids] = {};
        for (int j = 0; j < columns_; ++j)
            if (outside_[j][lane] >= kSlack) row_used[outside_[j][lane] - kSlack] = true;
        for (int i = 0; i < rows_; ++i)
            if (inside_[i][lane] < kSlack) column_used[inside_[i][lane]] = true;
        Support found{};
        int rows = 0;
        for (int i = 0; i < rows_; ++i)
            if (row_used[i]) found.row[rows++] = static_cast<unsigned char>(i);
        for (int j = 0; j < columns_; ++j)
            if (column_used[j]) found.column[found.size++] = static_cast<unsigned char>(j);
        return found;
    }

private:
    int rows_ = 0, columns_ = 0, width_ = 0;
    Numbers table_[(kMostBids + 1) * (kMostBids + 1)];  // last column: limits; last row: gains
    Numbers column_[kMostBids + 1];
    Numbers row_[kMostBids + 1];
    Numbers pivot_;
    Mask inside_[kMostBids];   // which variable row i is solved for
    Mask outside_[kMostBids];  // which variable column j stands for

    Numbers* at(int i) { return table_ + i * width_; }

    void start(const Matrix& games) {
        rows_ = games.rows;
        columns_ = games.columns;
        width_ = columns_ + 1;
        for (int i = 0; i < rows_; ++i) {
            for (int j = 0; j < columns_; ++j) at(i)[j] = games.row(i)[j];
            at(i)[columns_] = all(1);
            inside_[i] = all_lanes(kSlack + i);
        }
        for (int j = 0; j < columns_; ++j) {
            at(rows_)[j] = all(-1);
            outside_[j] = all_lanes(j);
        }
        at(rows_)[columns_] = all(0);
    }

    // The column with most to gain, -1 where none gains.
    Mask choose_column() {
        Numbers best = all(-kTiny);
        Mask entering = all_lanes(-1);
        for (int j = 0; j < columns_; ++j) {
            const Mask better = at(rows_)[j] < best;
            best = better ? at(rows_)[j] : best;
            entering = better ? all_lanes(j) : entering;
        }
        return entering;
    }

    void copy_column(Mask entering) {
        for (int i = 0; i <= rows_; ++i) column_[i] = all(0);
        for (int j = 0; j < columns_; ++j) {
            const Mask here = entering == j;
            if (lanes_set(here) == 0) continue;
            for (int i = 0; i <= rows_; ++i) column_[i] = here ? at(i)[j] : column_[i];
        }
    }

    // The row that gives out first, -1 where none does; ratios are compared without dividing.
    Mask choose_row() {
        Numbers limit = all(1), slope = all(0);
        Mask leaving = all_lanes(-1);
        for (int i = 0; i < rows_; ++i) {
            const Numbers here = at(i)[columns_];
            const Mask sooner = (column_[i] > kTiny) & (here * slope < limit * column_[i]);
            limit = sooner ? here : limit;
            slope = sooner ? column_[i] : slope;
            leaving = sooner ? all_lanes(i) : leaving;
        }
        pivot_ = leaving >= 0 ? slope : all(1);
        return leaving;
    }

    void copy_row(Mask leaving, Mask going) {
        for (int j = 0; j <= columns_; ++j) row_[j] = all(0);
        for (int i = 0; i < rows_; ++i) {
            const Mask here = (leaving == i) & going;
            if (lanes_set(here) == 0) continue;
            for (int j = 0; j <= columns_; ++j) row_[j] = here ? at(i)[j] : row_[j];
        }
    }

    // Solve the leaving row for the entering column. With p the pivot, its row must become row / p,
    // its column -column / p and itself 1 / p. One subtraction of column x row does it all, if
    // before the pivot's own entries are made p - 1 in the column and 1 + 1 / p in the row.
    void exchange(Mask entering, Mask leaving, Mask going) {
        const Numbers inverse = 1.0 / pivot_;
        for (int j = 0; j <= columns_; ++j) row_[j] *= inverse;
        Mask goes_out = all_lanes(0), comes_in = all_lanes(0);
        for (int j = 0; j < columns_; ++j) comes_in = entering == j ? outside_[j] : comes_in;
        for (int i = 0; i < rows_; ++i) {
            const Mask here = (leaving == i) & going;
            goes_out = here ? inside_[i] : goes_out;
            inside_[i] = here ? comes_in : inside_[i];
            column_[i] = here ? column_[i] - 1 : column_[i];
        }
        for (int j = 0; j < columns_; ++j) {
            const Mask here = (entering == j) & going;
            outside_[j] = here ? goes_out : outside_[j];
            row_[j] = here ? 1 + inverse : row_[j];
        }
        for (int i = 0; i <= rows_; ++i) {
            const Numbers times = going ? column_[i] : all(0);
            for (int j = 0; j <= columns_; ++j) at(i)[j] -= times * row_[j];
        }
    }
};

}  // namespace
