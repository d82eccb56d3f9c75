// Patterns: what the value of a position sees of the two hands, which is the order of their cards.
//
// Merge both hands and write for each rank that occurs whether it is mine, theirs or both. A pattern
// is a number of two bits a rank, the lowest rank in the lowest bits: bit 0 if I hold it, bit 1 if
// they do. Ranks that nobody holds are left out, so the pattern ends where both bits are 0.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace gops {

using Pattern = std::uint32_t;

constexpr int kMostCards = 15;       // two bits each, and room to shift
constexpr Pattern kMine = 0x55555555;  // the bits of my cards

// The pattern as the other one sees it.
inline Pattern mirrored(Pattern pattern) {
    return ((pattern & kMine) << 1) | ((pattern >> 1) & kMine);
}

// How many cards each of the two holds.
inline int cards_held(Pattern pattern) { return __builtin_popcount(pattern & kMine); }

// The pattern after I bid the card at rank `mine` and they the one at rank `theirs`.
Pattern after_bids(Pattern pattern, int mine, int theirs);

// The ranks of the cards one of the two holds, ascending. `bit` is 0 for mine, 1 for theirs.
std::vector<int> ranks_held(Pattern pattern, int bit);

// The ranks one of the two may bid, but one for each run of cards that are worth the same: those
// with no card of the other between them or level with them.
std::vector<int> bids(Pattern pattern, int bit);

// One of each mirrored pair with `held` cards a hand out of `cards` ranks, ascending: the smaller of
// the two. The one that is its own mirror (both hold the same cards) is worth 0 in points and not
// kept; with `level` it is.
std::vector<Pattern> kept_patterns(int cards, int held, bool level = false);

// Patterns in a row, ascending.
struct Patterns {
    const Pattern* first;
    std::size_t count;

    Patterns(const Pattern* data, std::size_t size) : first(data), count(size) {}
    Patterns(const std::vector<Pattern>& kept) : Patterns(kept.data(), kept.size()) {}
};

// Those patterns that may be left of some after both have bid a card, one of each mirrored pair,
// ascending, those that are their own mirrors among them.
std::vector<Pattern> patterns_below(Patterns kept);

// Where a pattern's values are: the place among the kept ones, and whether to change their sign.
struct Place {
    std::ptrdiff_t index;  // -1: the pattern is its own mirror, and none such is kept
    bool flipped;
};

Place place_of(Pattern pattern, Patterns kept);

}  // namespace gops
