#include "win_layer.hpp"

#include <algorithm>

#include "crew.hpp"
#include "kernels.hpp"
#include "patterns.hpp"
#include "prizes.hpp"

namespace gops {

namespace {

constexpr int kPad = 8;  // a kernel fills its last lanes

// What follows a pair of bids: whose row it is, and who takes the prize.
struct Child {
    std::size_t row;
    bool flipped;
    int wins;
};

// The stage games of one pattern, without the numbers.
struct Shape {
    int rows, columns;
    std::vector<Child> children;

    Shape(Pattern pattern, const std::vector<Pattern>& kept_below) {
        const auto mine = bids(pattern, 0), theirs = bids(pattern, 1);
        rows = static_cast<int>(mine.size());
        columns = static_cast<int>(theirs.size());
        for (const int a : mine)
            for (const int b : theirs) {
                const Place place = place_of(after_bids(pattern, a, b), kept_below);
                const int wins = a > b ? 1 : a < b ? -1 : 0;
                children.push_back({static_cast<std::size_t>(place.index), place.flipped, wins});
            }
    }
};

// The range of differences that are kept for a prize set: those that decide nothing yet, and that
// the prizes gone can have brought.
struct Range {
    int first, count;

    Range(int secured, int held_to, int points_gone) {
        first = std::max(-held_to, -points_gone);
        count = std::max(0, std::min(-secured, points_gone) - first + 1);
    }
};

int points_of(PrizeSet set) {
    int points = 0;
    for (; set != 0; set &= set - 1) points += __builtin_ctz(set) + 1;
    return points;
}

// The bounds after a pair of bids, by rank of the prize set. Seen from the other side they change
// places and signs.
struct BoundsAfter {
    const std::int16_t *secured, *held_to;
    int sign;
    int wins;
};

class BoundsLayer {
public:
    BoundsLayer(int cards, int held, Bounds below)
        : kept_(kept_patterns(cards, held, true)),
          kept_below_(kept_patterns(cards, held - 1, true)),
          lists_(cards, held),
          width_(sets_of(cards, held).size()),
          width_below_(sets_of(cards, held - 1).size()),
          below_(below) {}

    std::size_t count() const { return kept_.size(); }

    void write(std::size_t at, std::int16_t* secured, std::int16_t* held_to) const {
        const Shape shape(kept_[at], kept_below_);
        const auto after = bounds_after(shape);
        secured += at * width_;
        held_to += at * width_;
        std::fill(secured, secured + width_, INT16_MAX);
        std::fill(held_to, held_to + width_, INT16_MIN);
        for (const Prize& prize : lists_.prizes())
            for (int i = 0; i < prize.count; ++i) {
                const auto set = static_cast<std::size_t>(prize.below[i]);
                const int here = prize.here[i], points = static_cast<int>(prize.points);
                const int mine = my_best(shape, after, set, points);
                const int theirs = their_best(shape, after, set, points);
                secured[here] = std::min(secured[here], static_cast<std::int16_t>(mine));
                held_to[here] = std::max(held_to[here], static_cast<std::int16_t>(theirs));
            }
    }

private:
    const std::vector<Pattern> kept_, kept_below_;
    const PrizeLists lists_;
    const std::size_t width_, width_below_;
    const Bounds below_;

    std::vector<BoundsAfter> bounds_after(const Shape& shape) const {
        std::vector<BoundsAfter> after;
        for (const Child& child : shape.children) {
            const auto* secured = below_.secured + child.row * width_below_;
            const auto* held_to = below_.held_to + child.row * width_below_;
            if (child.flipped)
                after.push_back({held_to, secured, -1, child.wins});
            else
                after.push_back({secured, held_to, 1, child.wins});
        }
        return after;
    }

    static int my_best(const Shape& shape, const std::vector<BoundsAfter>& after, std::size_t set,
                       int points) {
        int most = INT16_MIN;
        for (auto row = after.begin(); row != after.end(); row += shape.columns) {
            int least = INT16_MAX;
            for (auto at = row; at != row + shape.columns; ++at)
                least = std::min(least, at->wins * points + at->sign * at->secured[set]);
            most = std::max(most, least);
        }
        return most;
    }

    static int their_best(const Shape& shape, const std::vector<BoundsAfter>& after,
                          std::size_t set, int points) {
        int least = INT16_MAX;
        for (int b = 0; b < shape.columns; ++b) {
            int most = INT16_MIN;
            for (auto at = after.begin() + b; at < after.end(); at += shape.columns)
                most = std::max(most, at->wins * points + at->sign * at->held_to[set]);
            least = std::min(least, most);
        }
        return least;
    }
};

class Layer {
public:
    explicit Layer(const WinLayer& job)
        : job_(job),
          kernel_(kernels_of(job.lanes).win),
          kept_(kept_patterns(job.cards, job.held, true)),
          kept_below_(kept_patterns(job.cards, job.held - 1, true)),
          lists_(job.cards, job.held),
          sets_(sets_of(job.cards, job.held)),
          sets_below_(sets_of(job.cards, job.held - 1)),
          most_(job.cards * (job.cards + 1) / 2) {}

    std::size_t count() const { return kept_.size(); }

    // Solve the games of one pattern and write its values.
    void solve(std::size_t at) const {
        const Shape shape(kept_[at], kept_below_);
        const std::size_t place = at * sets_.size();
        std::fill(job_.out + job_.here.starts[place],
                  job_.out + job_.here.starts[place + sets_.size()], 0.0);
        std::vector<double> scratch;
        for (const Prize& prize : lists_.prizes()) solve_prize(shape, place, prize, scratch);
        for (auto i = job_.here.starts[place]; i < job_.here.starts[place + sets_.size()]; ++i)
            job_.out[i] /= job_.held;
    }

private:
    const WinLayer& job_;
    const WinKernel kernel_;
    const std::vector<Pattern> kept_, kept_below_;
    const PrizeLists lists_;
    const std::vector<PrizeSet> sets_, sets_below_;
    const int most_;

    Range range_of(const WinRows& rows, std::size_t place, PrizeSet set) const {
        return {rows.bounds.secured[place], rows.bounds.held_to[place], most_ - points_of(set)};
    }

    void solve_prize(const Shape& shape, std::size_t place, const Prize& prize,
                     std::vector<double>& scratch) const {
        std::vector<WinTask> tasks;
        std::vector<WinFollow> follow(shape.children.size() * static_cast<std::size_t>(prize.count));
        int most = 0;
        WinFollow* next = follow.data();
        for (int i = 0; i < prize.count; ++i) {
            const auto here = static_cast<std::size_t>(prize.here[i]);
            const Range range = range_of(job_.here, place + here, sets_[here]);
            if (range.count == 0) continue;
            most = std::max(most, range.count);
            tasks.push_back({shape.rows, shape.columns, static_cast<int>(prize.points),
                             range.first, range.count, next, nullptr,
                             job_.out + job_.here.starts[place + here]});
            next = lines(shape, static_cast<std::size_t>(prize.below[i]), next);
        }
        scratch.resize(shape.children.size() * static_cast<std::size_t>(most + kPad));
        for (WinTask& task : tasks) task.scratch = scratch.data();
        if (!tasks.empty()) kernel_(tasks.data(), static_cast<int>(tasks.size()));
    }

    WinFollow* lines(const Shape& shape, std::size_t set, WinFollow* follow) const {
        for (const Child& child : shape.children) {
            const std::size_t place = child.row * sets_below_.size() + set;
            const Range range = range_of(job_.below, place, sets_below_[set]);
            const double* values = job_.values_below + job_.below.starts[place];
            *follow++ = {{values, range.first, range.count}, child.flipped, child.wins};
        }
        return follow;
    }
};

}  // namespace

void WinBounds::solve(const std::function<void(double)>& tick) const {
    const BoundsLayer layer(cards, held, below);
    run_crew(
        layer.count(), threads, [&](std::size_t at) { layer.write(at, secured, held_to); }, tick);
}

void WinLayer::solve(const std::function<void(double)>& tick) const {
    const Layer layer(*this);
    run_crew(layer.count(), threads, [&](std::size_t at) { layer.solve(at); }, tick);
}

}  // namespace gops
