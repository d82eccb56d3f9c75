// LANES matrix games side by side, and the supports that may solve them.
#pragma once

#include "lanes.hpp"
#include "sizes.hpp"

namespace {

// Games of one shape. The numbers are shifted by a constant so that all are positive: the simplex
// starts at once, and the value is never 0.
struct Matrix {
    int rows;
    int columns;
    double tolerance;  // how far the two sides of a certificate may be apart
    Numbers entry[kMostBids * kMostBids];

    const Numbers* row(int at) const { return entry + at * columns; }
};

// As many rows as columns: the bids that get weight in an equilibrium.
struct Support {
    int size;
    unsigned char row[kMostBids];
    unsigned char column[kMostBids];
};

inline bool same(const Support& a, const Support& b) {
    if (a.size != b.size) return false;
    for (int at = 0; at < a.size; ++at)
        if (a.row[at] != b.row[at] || a.column[at] != b.column[at]) return false;
    return true;
}

// What one look at the games gave: a value in each lane, and in which lanes it is certain.
struct Verdict {
    Numbers value;
    Mask certain;
};

}  // namespace
