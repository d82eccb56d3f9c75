// The values of LANES games: guesses first, then the simplex, then the careful rule.
#pragma once

#include "careful.hpp"
#include "simplex.hpp"
#include "support.hpp"

namespace {

// The supports that solved games like these, the latest first.
class Guesses {
public:
    int count() const { return count_; }

    const Support& operator[](int at) const { return guess_[at]; }

    void remember(const Support& support) {
        for (int at = 0; at < count_; ++at)
            if (same(guess_[at], support)) return to_front(at);
        if (count_ < kMost) ++count_;
        guess_[count_ - 1] = support;
        to_front(count_ - 1);
    }

    void to_front(int at) {
        const Support support = guess_[at];
        for (; at > 0; --at) guess_[at] = guess_[at - 1];
        guess_[0] = support;
    }

private:
    static constexpr int kMost = 8;  // of 4 to 16 none was clearly better
    Support guess_[kMost];
    int count_ = 0;
};

class Equilibrium {
public:
    // Give the value in each of the first `count` lanes.
    Numbers values(const Matrix& games, int count, Guesses& guesses) {
        value_ = all(0);
        live_ = lane_numbers() < count;
        open_ = lanes_set(live_);
        for (int at = 0; at < guesses.count() && open_ != 0; ++at)
            if (look(games, guesses[at]) && at > 0) guesses.to_front(at);
        if (open_ != 0) search(games, guesses);
        return value_;
    }

private:
    Numbers value_;
    Mask live_;          // the lanes without a value yet
    unsigned open_ = 0;  // the same, a bit each
    Simplex simplex_;
    Careful careful_;

    // Try a support in all lanes; say if it gave an open one its value.
    bool look(const Matrix& games, const Support& support) {
        const Verdict verdict = try_support(games, support, live_);
        if (lanes_set(verdict.certain) == 0) return false;
        value_ = verdict.certain ? verdict.value : value_;
        live_ &= ~verdict.certain;
        open_ = lanes_set(live_);
        return true;
    }

    // Find a support for each open lane; most often it does for several.
    void search(const Matrix& games, Guesses& guesses) {
        while (open_ != 0) {
            const int lane = __builtin_ctz(open_);
            const Support support = simplex_.support(games, lane);
            if (support.size > 0) look(games, support);
            if ((open_ >> lane & 1) == 0) {
                guesses.remember(support);
                continue;
            }
            value_[lane] = careful_.value(games, lane);
            live_[lane] = 0;
            open_ = lanes_set(live_);
        }
    }
};

}  // namespace
