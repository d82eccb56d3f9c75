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

// Numbers as they are stored. Whole ones stand for so many parts of a sure win, see `value_table.py`.
inline double decoded(double number) { return number; }

inline double decoded(std::int16_t number) { return number / 32767.0; }

// The value in a row for a prize set and a difference: decided, or among those kept. `gone` are the
// points that are gone, by rank of the prize set.
template <typename Number>
double win_value(const WinRows& rows, const Number* values, const int* gone, std::size_t sets,
                 std::size_t row, std::size_t set, int difference) {
    auto place = static_cast<std::int64_t>(row * sets);
    const auto here = place + static_cast<std::int64_t>(set);
    if (difference < -rows.bounds.held_to[here]) return -1;
    if (difference > -rows.bounds.secured[here]) return 1;
    std::int64_t at = rows.starts[row];
    for (const int* points = gone; place < here; ++place)
        at += kept(rows.bounds, place, *points++).count();
    return decoded(values[at + difference - kept(rows.bounds, here, gone[set]).first]);
}

// In win: `difference` is the one before the bids.
template <typename Number>
void win_stage(const Stage& stage, Patterns kept_below, const WinRows& rows, const Number* values,
               int difference, const int* gone, double* out) {
    each_pair(stage, kept_below, [&](const After& after) {
        const int sign = after.place.flipped ? -1 : 1;
        const int now = sign * (difference + after.wins * stage.prize);
        *out++ = sign * win_value(rows, values, gone, stage.sets,
                                  static_cast<std::size_t>(after.place.index), stage.set, now);
    });
}

}  // namespace gops
