// The simplex for one game at a time: a row of its table fills a register or two.
//
// Maximise the sum of y >= 0 with M y <= 1. It is used to find the support of a game that no guess
// fits; the value is then computed from the support and certified, so its rounding does no harm.
#pragma once

#include "matrix.hpp"

namespace {

constexpr int kMostSteps = 60;  // a game that needs more goes to the careful rule
constexpr double kTiny = 1e-11;
constexpr int kSlack = 64;  // variable kSlack + i is what row i leaves over

class Simplex {
public:
    // The rows and columns that are in use at the end of one lane's game, in ascending order.
    Support support(const Matrix& games, int lane) {
        start(games, lane);
        for (int step = 0; step < kMostSteps; ++step) {
            const int entering = choose_column();
            if (entering < 0) break;
            const int leaving = choose_row(entering);
            if (leaving < 0) break;
            exchange(entering, leaving);
        }
        return in_use();
    }

private:
    static constexpr int kRegisters = kMostBids / LANES + 1;
    union Row {  // all of it is computed with, also what lies past its end
        Numbers part[kRegisters];
        double at[kRegisters * LANES];
    };
    int rows_ = 0, columns_ = 0, registers_ = 0;
    Row table_[kMostBids + 1] = {};  // after the last column: limits; after the last row: gains
    int inside_[kMostBids];          // which variable row i is solved for
    int outside_[kMostBids];         // which variable column j stands for

    void start(const Matrix& games, int lane) {
        rows_ = games.rows;
        columns_ = games.columns;
        registers_ = columns_ / LANES + 1;
        for (int i = 0; i < rows_; ++i) {
            for (int j = 0; j < columns_; ++j) table_[i].at[j] = games.row(i)[j][lane];
            table_[i].at[columns_] = 1;
            inside_[i] = kSlack + i;
        }
        for (int j = 0; j < columns_; ++j) {
            table_[rows_].at[j] = -1;
            outside_[j] = j;
        }
        table_[rows_].at[columns_] = 0;
    }

    // The column with most to gain, or -1.
    int choose_column() const {
        double best = -kTiny;
        int entering = -1;
        for (int j = 0; j < columns_; ++j) {
            const bool better = table_[rows_].at[j] < best;
            best = better ? table_[rows_].at[j] : best;
            entering = better ? j : entering;
        }
        return entering;
    }

    // The row that gives out first, or -1; ratios are compared without dividing.
    int choose_row(int entering) const {
        double limit = 1, slope = 0;
        int leaving = -1;
        for (int i = 0; i < rows_; ++i) {
            const double here = table_[i].at[columns_], by = table_[i].at[entering];
            const bool sooner = (by > kTiny) & (here * slope < limit * by);
            limit = sooner ? here : limit;
            slope = sooner ? by : slope;
            leaving = sooner ? i : leaving;
        }
        return leaving;
    }

    // Solve the leaving row for the entering column. With p the pivot, the row must become row / p,
    // the column -column / p and the pivot 1 / p. With 1 + 1 / p for the pivot in row / p, one
    // subtraction of column x row does it for all other rows, and no register is filled in parts,
    // which the processor would have to wait for.
    void exchange(int entering, int leaving) {
        Row row = table_[leaving];
        const double inverse = 1 / row.at[entering];
        Mask here[kRegisters];
        for (int at = 0; at < registers_; ++at) {
            here[at] = lane_numbers() + at * LANES == entering;
            row.part[at] = here[at] ? all(1 + inverse) : row.part[at] * inverse;
        }
        for (int i = 0; i <= rows_; ++i) {
            const double times = table_[i].at[entering];
            for (int at = 0; at < registers_; ++at) table_[i].part[at] -= times * row.part[at];
        }
        for (int at = 0; at < registers_; ++at)
            table_[leaving].part[at] = here[at] ? all(inverse) : row.part[at];
        const int variable = inside_[leaving];
        inside_[leaving] = outside_[entering];
        outside_[entering] = variable;
    }

    // The rows whose rest is outside, so nothing is left over, and the columns that are inside.
    Support in_use() const {
        bool column_used[kMostBids] = {};
        bool row_used[kMostBids] = {};
        for (int j = 0; j < columns_; ++j)
            if (outside_[j] >= kSlack) row_used[outside_[j] - kSlack] = true;
        for (int i = 0; i < rows_; ++i)
            if (inside_[i] < kSlack) column_used[inside_[i]] = true;
        Support found{};
        int rows = 0;
        for (int i = 0; i < rows_; ++i)
            if (row_used[i]) found.row[rows++] = static_cast<unsigned char>(i);
        for (int j = 0; j < columns_; ++j)
            if (column_used[j]) found.column[found.size++] = static_cast<unsigned char>(j);
        return found;
    }
};

}  // namespace
