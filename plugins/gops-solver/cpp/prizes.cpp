#include "prizes.hpp"

#include <utility>

namespace gops {

namespace {

constexpr std::size_t kMostLanes = 8;

// A kernel reads as many at a time as it has lanes: repeat the last until there are enough.
void pad(std::vector<std::int32_t>& ranks) {
    while (ranks.size() % kMostLanes != 0) ranks.push_back(ranks.back());
}

}  // namespace

std::vector<PrizeSet> sets_of(int cards, int size) {
    std::vector<PrizeSet> sets;
    for (PrizeSet set = 0; set >> cards == 0; ++set)
        if (__builtin_popcount(set) == size) sets.push_back(set);
    return sets;
}

std::vector<std::int32_t> ranks_of(int cards) {
    std::vector<std::int32_t> ranks(std::size_t{1} << cards);
    std::vector<std::int32_t> seen(static_cast<std::size_t>(cards) + 1);
    for (PrizeSet set = 0; set >> cards == 0; ++set)
        ranks[set] = seen[static_cast<std::size_t>(__builtin_popcount(set))]++;
    return ranks;
}

std::vector<int> points_gone(const std::vector<int>& prizes, int gone, int held) {
    std::vector<int> points;
    for (const PrizeSet set : sets_of(static_cast<int>(prizes.size()), held)) {
        points.push_back(gone);
        for (std::size_t prize = 0; prize < prizes.size(); ++prize)
            if ((set >> prize & 1) == 0) points.back() += prizes[prize];
    }
    return points;
}

PrizeLists::PrizeLists(const std::vector<int>& prizes, int held) {
    const int cards = static_cast<int>(prizes.size());
    const auto ranks = ranks_of(cards);
    const auto sets = sets_of(cards, held - 1);
    for (int prize = 0; prize < cards; ++prize) {
        std::vector<std::int32_t> below, here;
        for (const PrizeSet set : sets) {
            if ((set >> prize & 1) != 0) continue;
            below.push_back(ranks[set]);
            here.push_back(ranks[set | PrizeSet{1} << prize]);
        }
        const int count = static_cast<int>(below.size());
        pad(below);
        ranks_.push_back(std::move(below));
        ranks_.push_back(std::move(here));
        const auto last = ranks_.end();
        prizes_.push_back({static_cast<double>(prizes[static_cast<std::size_t>(prize)]), count, last[-2].data(), last[-1].data()});
    }
}

UpLists::UpLists(const std::vector<int>& prizes, int gone, int held) {
    const int cards = static_cast<int>(prizes.size());
    const auto ranks = ranks_of(cards);
    const auto sets = sets_of(cards, held - 1);
    const auto points = points_gone(prizes, gone, held - 1);
    const int count = cards - held + 1;
    ups_.reserve(sets.size() * static_cast<std::size_t>(count));  // what is pointed at must stay
    for (const PrizeSet set : sets) {
        sets_.push_back({points[sets_.size()], count, ups_.data() + ups_.size()});
        for (int prize = 0; prize < cards; ++prize)
            if ((set >> prize & 1) == 0)
                ups_.push_back({prizes[static_cast<std::size_t>(prize)],
                                ranks[set | PrizeSet{1} << prize]});
    }
}

}  // namespace gops
