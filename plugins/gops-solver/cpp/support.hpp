// Guess, solve, certify: the value of a game if the equilibrium has this support.
//
// Neighbouring games mostly have the same support. If B is the square of the support's rows and
// columns, its equilibrium is x ~ B'^-1 1 and y ~ B^-1 1, and its value 1 / (1' B^-1 1). Whether
// that is right does not hang on how it was found: what x secures against every column is a lower
// bound of the value, what y concedes to every row is an upper one, and where the two meet the
// value is between them. So a wrong guess, or a square that cannot be inverted, costs time only.
#pragma once

#include "matrix.hpp"

namespace {

constexpr double kFar = 1e300;
constexpr double kLeastWeight = -1e-16;  // a weight of 0 may come out as this, by rounding

// The square of a support in triangular factors, L with ones on the diagonal, and the two
// strategies. SIZE 0 means that the size is known only when it runs.
template <int SIZE>
struct Square {
    static constexpr int kRoom = SIZE == 0 ? kMostBids : SIZE;
    Numbers factor[kRoom][kRoom];
    Numbers inverse[kRoom];  // of the diagonal
    Numbers mine[kRoom];
    Numbers theirs[kRoom];

    void load(const Matrix& games, const Support& support, int size) {
        for (int i = 0; i < size; ++i)
            for (int j = 0; j < size; ++j)
                factor[i][j] = games.row(support.row[i])[support.column[j]];
    }

    void factorise(int size) {
        for (int k = 0; k < size; ++k) {
            inverse[k] = 1.0 / factor[k][k];
            for (int i = k + 1; i < size; ++i) {
                const Numbers times = factor[i][k] * inverse[k];
                factor[i][k] = times;
                for (int j = k + 1; j < size; ++j) factor[i][j] -= times * factor[k][j];
            }
        }
    }

    // B y = 1: down through L, up through the rest.
    void solve_theirs(int size) {
        for (int i = 0; i < size; ++i) {
            theirs[i] = all(1);
            for (int k = 0; k < i; ++k) theirs[i] -= factor[i][k] * theirs[k];
        }
        for (int i = size - 1; i >= 0; --i) {
            for (int k = i + 1; k < size; ++k) theirs[i] -= factor[i][k] * theirs[k];
            theirs[i] *= inverse[i];
        }
    }

    // x B = 1.
    void solve_mine(int size) {
        for (int j = 0; j < size; ++j) {
            mine[j] = all(1);
            for (int k = 0; k < j; ++k) mine[j] -= factor[k][j] * mine[k];
            mine[j] *= inverse[j];
        }
        for (int j = size - 1; j >= 0; --j)
            for (int k = j + 1; k < size; ++k) mine[j] -= factor[k][j] * mine[k];
    }
};

// What my weights secure: the least over the columns.
template <int SIZE>
inline Numbers secured(const Matrix& games, const Support& support, const Numbers* mine, int size) {
    const Numbers* rows[Square<SIZE>::kRoom];
    for (int i = 0; i < size; ++i) rows[i] = games.row(support.row[i]);
    Numbers least = all(kFar);
    for (int j = 0; j < games.columns; ++j) {
        Numbers worth = all(0);
        for (int i = 0; i < size; ++i) worth += mine[i] * rows[i][j];
        least = smaller(least, worth);
    }
    return least;
}

// What their weights concede: the most over the rows.
template <int SIZE>
inline Numbers conceded(const Matrix& games, const Support& support, const Numbers* theirs,
                        int size) {
    Numbers most = all(-kFar);
    for (int i = 0; i < games.rows; ++i) {
        const Numbers* row = games.row(i);
        Numbers worth = all(0);
        for (int j = 0; j < size; ++j) worth += theirs[j] * row[support.column[j]];
        most = larger(most, worth);
    }
    return most;
}

// The sum of weights, and in which lanes none is below 0.
struct Weights {
    Numbers total;
    Mask sound;

    Weights(const Numbers* weights, int size) : total(all(0)) {
        Numbers least = all(0);
        for (int i = 0; i < size; ++i) {
            total += weights[i];
            least = smaller(least, weights[i]);
        }
        sound = (least >= kLeastWeight) & (total > 0);
    }
};

template <int SIZE>
inline Verdict try_square(const Matrix& games, const Support& support, Mask open) {
    const int size = SIZE == 0 ? support.size : SIZE;
    const Verdict nowhere{all(0), all_lanes(0)};
    Square<SIZE> square;
    square.load(games, support, size);
    square.factorise(size);
    square.solve_theirs(size);
    const Weights theirs(square.theirs, size);
    open &= theirs.sound;
    if (lanes_set(open) == 0) return nowhere;
    square.solve_mine(size);
    const Weights mine(square.mine, size);
    open &= mine.sound;
    if (lanes_set(open) == 0) return nowhere;
    const Numbers high = conceded<SIZE>(games, support, square.theirs, size) / theirs.total;
    const Numbers low = secured<SIZE>(games, support, square.mine, size) / mine.total;
    return {(low + high) * 0.5, open & (high - low <= games.tolerance)};
}

// Give the value in those of the open lanes where the support is right.
inline Verdict try_support(const Matrix& games, const Support& support, Mask open) {
    switch (support.size) {
        case 1: return try_square<1>(games, support, open);
        case 2: return try_square<2>(games, support, open);
        case 3: return try_square<3>(games, support, open);
        case 4: return try_square<4>(games, support, open);
        case 5: return try_square<5>(games, support, open);
        case 6: return try_square<6>(games, support, open);
        case 7: return try_square<7>(games, support, open);
        default: return try_square<0>(games, support, open);
    }
}

}  // namespace
