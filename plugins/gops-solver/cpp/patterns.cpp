#include "patterns.hpp"

#include <algorithm>
#include <set>

namespace gops {

namespace {

// Close the gap at a rank that nobody holds any more.
Pattern without_rank(Pattern pattern, int rank) {
    const Pattern below = (Pattern{1} << (2 * rank)) - 1;
    return (pattern & below) | ((pattern >> 2) & ~below);
}

// Add every pattern that goes on from `pattern` at `rank`, with so many cards still to place.
void extend(Pattern pattern, int rank, int ranks, int mine, int theirs,
            std::vector<Pattern>& found) {
    if (mine == 0 && theirs == 0) {
        if (pattern <= mirrored(pattern)) found.push_back(pattern);
        return;
    }
    if (rank == ranks) return;
    const int shift = 2 * rank;
    if (mine > 0) extend(pattern | Pattern{1} << shift, rank + 1, ranks, mine - 1, theirs, found);
    if (theirs > 0) extend(pattern | Pattern{2} << shift, rank + 1, ranks, mine, theirs - 1, found);
    if (mine > 0 && theirs > 0)
        extend(pattern | Pattern{3} << shift, rank + 1, ranks, mine - 1, theirs - 1, found);
}

}  // namespace

Pattern after_bids(Pattern pattern, int mine, int theirs) {
    pattern &= ~(Pattern{1} << (2 * mine)) & ~(Pattern{2} << (2 * theirs));
    for (const int rank : {std::max(mine, theirs), std::min(mine, theirs)})
        if ((pattern >> (2 * rank) & 3) == 0) {
            pattern = without_rank(pattern, rank);
            if (mine == theirs) break;  // one rank, which is gone now
        }
    return pattern;
}

std::vector<int> ranks_held(Pattern pattern, int bit) {
    std::vector<int> ranks;
    for (int rank = 0; (pattern >> (2 * rank)) != 0; ++rank)
        if ((pattern >> (2 * rank + bit) & 1) != 0) ranks.push_back(rank);
    return ranks;
}

std::vector<int> bids(Pattern pattern, int bit) {
    const Pattern alone = Pattern{1} << bit;
    std::vector<int> ranks;
    Pattern before = 0;
    for (int rank = 0; (pattern >> (2 * rank)) != 0; ++rank) {
        const Pattern here = pattern >> (2 * rank) & 3;
        const bool same_as_before = here == alone && before == alone;
        if ((here & alone) != 0 && !same_as_before) ranks.push_back(rank);
        before = here;
    }
    return ranks;
}

std::vector<Pattern> kept_patterns(int cards, int held, bool level) {
    std::vector<Pattern> found;
    extend(0, 0, cards, held, held, found);
    std::sort(found.begin(), found.end());
    if (!level)  // the one that is its own mirror
        found.erase(std::remove_if(found.begin(), found.end(),
                                   [](Pattern pattern) { return pattern == mirrored(pattern); }),
                    found.end());
    return found;
}

std::vector<Pattern> patterns_below(Patterns kept) {
    std::set<Pattern> found;
    for (std::size_t at = 0; at < kept.count; ++at)
        for (const int mine : bids(kept.first[at], 0))
            for (const int theirs : bids(kept.first[at], 1)) {
                const Pattern after = after_bids(kept.first[at], mine, theirs);
                found.insert(std::min(after, mirrored(after)));
            }
    return {found.begin(), found.end()};
}

Place place_of(Pattern pattern, Patterns kept) {
    const Pattern smaller = std::min(pattern, mirrored(pattern));
    const Pattern* end = kept.first + kept.count;
    const Pattern* at = std::lower_bound(kept.first, end, smaller);
    if (at == end || *at != smaller) return {-1, false};
    return {at - kept.first, pattern != smaller};
}

}  // namespace gops
