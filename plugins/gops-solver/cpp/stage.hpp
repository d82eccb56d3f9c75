// The numbers of one stage game, read from the layer below: for who asks, not for the solver.
#pragma once

#include <cstdint>
#include <vector>

#include "patterns.hpp"
#include "win_layer.hpp"

namespace gops {

// Which game: both hands, the prize that is up, and the set of the others, by its rank.
struct Stage {
    Pattern pattern;
    int prize;
    std::size_t set;
    std::size_t sets;  // how many sets of that size there are
};

// What follows a pair of bids: whose values, and who takes the prize.
struct After {
    Place place;
    int wins;  // 1, 0 or -1
};

// Calls `write(after)` for each pair of bids, my bids being the rows.
template <typename Write>
void each_pair(const Stage& stage, Patterns kept_below, Write write) {
    for (const int mine : ranks_held(stage.pattern, 0))
        for (const int theirs : ranks_held(stage.pattern, 1)) {
            const int wins = mine > theirs ? 1 : mine < theirs ? -1 : 0;
            write(After{place_of(after_bids(stage.pattern, mine, theirs), kept_below), wins});
        }
}

// In points: what the bids bring at once and later.
template <typename Number>
void points_stage(const Stage& stage, Patterns kept_below, const Number* values, double* out) {
    each_pair(stage, kept_below, [&](const After& after) {
        double later = 0;
        if (after.place.index >= 0) {
            later = values[static_cast<std::size_t>(after.place.index) * stage.sets + stage.set];
            if (after.place.flipped) later = -later;
        }
        *out++ = after.wins * stage.prize + later;
    });
}

// The value at a place for a difference: decided, or among those kept.
template <typename Number>
double win_value(const WinRows& rows, const Number* values, std::size_t at, int difference,
                 int gone) {
    const int lost = -rows.bounds.held_to[at];
    if (difference < lost) return -1;
    if (difference > -rows.bounds.secured[at]) return 1;
    const int first = lost > -gone ? lost : -gone;
    return values[rows.starts[at] + difference - first];
}

// In win: `difference` is the one before the bids, `gone` the points that are gone after them.
template <typename Number>
void win_stage(const Stage& stage, Patterns kept_below, const WinRows& rows, const Number* values,
               int difference, int gone, double* out) {
    each_pair(stage, kept_below, [&](const After& after) {
        const auto at = static_cast<std::size_t>(after.place.index) * stage.sets + stage.set;
        const int sign = after.place.flipped ? -1 : 1;
        const int now = sign * (difference + after.wins * stage.prize);
        *out++ = sign * win_value(rows, values, at, now, gone);
    });
}

}  // namespace gops
