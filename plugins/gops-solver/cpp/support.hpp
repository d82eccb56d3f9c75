// Guess, solve, certify: the value of a game if the equilibrium has this support.
//
// Neighbouring games mostly have the same support. Within the square of its rows and columns each
// of my weights must make all columns worth the same, and each of theirs all rows. Whether that is
// right does not hang on how it was found: what x secures against every column is a lower bound of
// the value, what y concedes to every row is an upper one, and where the two meet the value is
// between them. So a wrong guess, or a square that cannot be solved, costs time only.
#pragma once

#include "matrix.hpp"

namespace {

constexpr double kFar = 1e300;
constexpr double kLeastWeight = -1e-9;  // a weight of 0 may come out as this, by rounding

// The two strategies that a support has: x and y, weights that add up to 1, in its square B.
//
// That all rows are worth the same to y is sum_j (b_ij - b_0j) y_j = 0 for i > 0, and as y_0 is
// what the others leave of 1, sum_j>0 c_ij y_j = b_00 - b_i0 with c_ij = b_ij - b_0j - b_i0 + b_00.
// The same C, the other way round, gives x. It is held in triangular factors, L with ones on the
// diagonal. SIZE 0 means that the size is known only when it runs.
template <int SIZE>
struct Square {
    static constexpr int kRoom = SIZE == 0 ? kMostBids : SIZE;
    Numbers factor[kRoom][kRoom];  // from 1 on
    Numbers inverse[kRoom];        // of the diagonal
    Numbers mine[kRoom];
    Numbers theirs[kRoom];

    void load(const Matrix& games, const Support& support, int size) {
        const Numbers* top = games.row(support.row[0]);
        const Numbers corner = top[support.column[0]];
        for (int j = 1; j < size; ++j) mine[j] = corner - top[support.column[j]];
        for (int i = 1; i < size; ++i) {
            const Numbers* row = games.row(support.row[i]);
            theirs[i] = corner - row[support.column[0]];
            for (int j = 1; j < size; ++j)
                factor[i][j] = row[support.column[j]] - corner + (theirs[i] + mine[j]);
        }
    }

    void factorise(int size) {
        for (int k = 1; k < size; ++k) {
            inverse[k] = 1.0 / factor[k][k];
            for (int i = k + 1; i < size; ++i) {
                const Numbers times = factor[i][k] * inverse[k];
                factor[i][k] = times;
                for (int j = k + 1; j < size; ++j) factor[i][j] -= times * factor[k][j];
            }
        }
    }

    // C y = what stands there: down through L, up through the rest.
    void solve_theirs(int size) {
        for (int i = 2; i < size; ++i)
            for (int k = 1; k < i; ++k) theirs[i] -= factor[i][k] * theirs[k];
        theirs[0] = all(1);
        for (int i = size - 1; i > 0; --i) {
            for (int k = i + 1; k < size; ++k) theirs[i] -= factor[i][k] * theirs[k];
            theirs[i] *= inverse[i];
            theirs[0] -= theirs[i];
        }
    }

    // x C = what stands there.
    void solve_mine(int size) {
        for (int j = 1; j < size; ++j) {
            for (int k = 1; k < j; ++k) mine[j] -= factor[k][j] * mine[k];
            mine[j] *= inverse[j];
        }
        mine[0] = all(1);
        for (int j = size - 1; j > 0; --j) {
            for (int k = j + 1; k < size; ++k) mine[j] -= factor[k][j] * mine[k];
            mine[0] -= mine[j];
        }
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

// In which lanes no weight is below 0, and what to multiply by to make up for those that were, by
// rounding: their sum t is 1 but for that, and 1 / t is 2 - t but for its square.
struct Weights {
    Mask sound = all_lanes(-1);
    Numbers scale = all(2);

    Weights(Numbers* weights, int size) {
        for (int i = 0; i < size; ++i) {
            sound &= weights[i] >= kLeastWeight;
            weights[i] = larger(weights[i], all(0));
            scale -= weights[i];
        }
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
    const Numbers high = conceded<SIZE>(games, support, square.theirs, size) * theirs.scale;
    const Numbers low = secured<SIZE>(games, support, square.mine, size) * mine.scale;
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
