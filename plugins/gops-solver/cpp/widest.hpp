// The equilibrium with the largest support, for the player of the rows.
#pragma once

#include <vector>

namespace gops {

struct Mixed {
    double value;
    std::vector<double> weights;  // one for each row
};

// A linear program ends at a corner of the set of all equilibria, and which one is an accident. So
// this goes to the corner that gives one row the most weight, for each row, and takes their mean:
// it has weight wherever any equilibrium has. `matrix` is rows x columns numbers, at most 15 each.
Mixed widest(const double* matrix, int rows, int columns);

}  // namespace gops
