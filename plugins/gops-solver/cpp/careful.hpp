// One game, slowly and safely: the rare one that the quick ways leave uncertain.
#pragma once

#include "bland.hpp"
#include "matrix.hpp"

namespace {

class Careful {
public:
    double value(const Matrix& games, int lane) {
        simplex_.start(games.rows, games.columns,
                       [&](int i, int j) { return games.row(i)[j][lane]; });
        return static_cast<double>(1 / simplex_.maximise());
    }

private:
    Bland simplex_;
};

}  // namespace
