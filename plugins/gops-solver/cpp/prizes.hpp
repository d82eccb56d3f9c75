// Sets of prizes: bit i is the i-th prize, from 0, of those that are played for. Sets of one size are ranked in ascending order.
#pragma once

#include <cstdint>
#include <vector>

#include "points.hpp"
#include "win.hpp"

namespace gops {

using PrizeSet = std::uint32_t;

// All sets of so many prizes, ascending.
std::vector<PrizeSet> sets_of(int cards, int size);

// The rank of each set among those of its size.
std::vector<std::int32_t> ranks_of(int cards);

// The points that are gone where a set of `held` prizes is left, by its rank: `gone` before all of them, and the others.
std::vector<int> points_gone(const std::vector<int>& prizes, int gone, int held);

// For each prize the sets of `held` - 1 others, for the kernels: with the ranks below and here.
class PrizeLists {
public:
    PrizeLists(const std::vector<int>& prizes, int held);

    const std::vector<Prize>& prizes() const { return prizes_; }

private:
    std::vector<std::vector<std::int32_t>> ranks_;
    std::vector<Prize> prizes_;
};

// For each set of `held` - 1 prizes the others, one of which was turned up before; so many points
// were gone even before all of them.
class UpLists {
public:
    UpLists(const std::vector<int>& prizes, int gone, int held);

    const std::vector<Ups>& sets() const { return sets_; }

private:
    std::vector<Up> ups_;
    std::vector<Ups> sets_;
};

}  // namespace gops
