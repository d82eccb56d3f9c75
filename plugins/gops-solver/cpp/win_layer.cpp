#include "win_layer.hpp"

#include <algorithm>
#include <numeric>

#include "crew.hpp"
#include "kernels.hpp"
#include "patterns.hpp"
#include "prizes.hpp"

namespace gops {

namespace {

// The stage games of one pattern, without the numbers.
struct Shape {
    int rows, columns;
    std::vector<WinFollow> follow;

    Shape(Pattern pattern, Patterns kept_below) {
        const auto mine = bids(pattern, 0), theirs = bids(pattern, 1);
        rows = static_cast<int>(mine.size());
        columns = static_cast<int>(theirs.size());
        for (const int a : mine)
            for (const int b : theirs) {
                const Place place = place_of(after_bids(pattern, a, b), kept_below);
                follow.push_back({place.index, place.flipped, a > b ? 1 : a < b ? -1 : 0});
            }
    }
};

// The bounds after a pair of bids, by rank of the prize set. Seen from the other side they change
// places and signs.
struct BoundsAfter {
    const std::int16_t *secured, *held_to;
    int sign;
    int wins;
};

class BoundsLayer {
public:
    explicit BoundsLayer(const WinBounds& job)
        : kept_(job.kept),
          kept_below_(job.kept_below),
          lists_(job.prizes, job.held),
          width_(sets_of(static_cast<int>(job.prizes.size()), job.held).size()),
          width_below_(sets_of(static_cast<int>(job.prizes.size()), job.held - 1).size()),
          below_(job.below) {}

    std::size_t count() const { return kept_.count; }

    void write(std::size_t at, std::int16_t* secured, std::int16_t* held_to) const {
        const Shape shape(kept_.first[at], kept_below_);
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
    const Patterns kept_, kept_below_;
    const PrizeLists lists_;
    const std::size_t width_, width_below_;
    const Bounds below_;

    std::vector<BoundsAfter> bounds_after(const Shape& shape) const {
        std::vector<BoundsAfter> after;
        for (const WinFollow& follow : shape.follow) {
            const auto row = static_cast<std::size_t>(follow.row) * width_below_;
            const auto *secured = below_.secured + row, *held_to = below_.held_to + row;
            if (follow.flipped)
                after.push_back({held_to, secured, -1, follow.wins});
            else
                after.push_back({secured, held_to, 1, follow.wins});
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

// Add where the values of each prize set of a row begin, and where the last end.
void add_places(const Bounds& bounds, std::size_t row, const std::vector<int>& gone,
                std::int64_t start, std::vector<std::int64_t>& places) {
    for (std::size_t set = 0; set < gone.size(); ++set) {
        places.push_back(start);
        start += kept(bounds, static_cast<std::int64_t>(row * gone.size() + set), gone[set]).count();
    }
    places.push_back(start);
}

class Layer {
public:
    explicit Layer(const WinLayer& job)
        : job_(job),
          kernel_(kernels_of(job.lanes).win),
          kept_(job.kept),
          kept_below_(job.kept_below),
          lists_(job.prizes, job.gone, job.held),
          gone_(points_gone(job.prizes, job.gone, job.held)),
          gone_below_(points_gone(job.prizes, job.gone, job.held - 1)),
          line_(static_cast<std::size_t>(2 * points(job) + 32)) {}

    std::size_t count() const { return kept_.count; }

    // Solve the games of one pattern and write its values.
    void solve(std::size_t at) const {
        const auto& sets = lists_.sets();
        const Shape shape(kept_.first[at], kept_below_);
        std::vector<double> scratch(shape.follow.size() * line_);
        std::vector<std::int64_t> places, places_below;
        add_places(job_.here.bounds, at, gone_, 0, places);
        for (const WinFollow& follow : shape.follow) {
            const auto row = static_cast<std::size_t>(follow.row);
            add_places(job_.below.bounds, row, gone_below_, job_.below.starts[row], places_below);
            places_below.pop_back();
        }
        const Bounds& here = job_.here.bounds;
        const std::size_t first = at * gone_.size();
        kernel_({shape.rows, shape.columns, job_.held, shape.follow.data(),
                 static_cast<int>(sets.size()), sets.data(), job_.below.bounds, job_.values_below,
                 places_below.data(), {here.secured + first, here.held_to + first},
                 static_cast<int>(gone_.size()), places.data(), scratch.data(),
                 job_.out + job_.here.starts[at]});
    }

private:
    const WinLayer& job_;
    const WinKernel kernel_;
    const Patterns kept_, kept_below_;
    const UpLists lists_;
    const std::vector<int> gone_, gone_below_;  // points, by rank of the prize set
    const std::size_t line_;  // what the scratch needs for each pair of bids

    // Of all prizes, those that are gone among them.
    static int points(const WinLayer& job) {
        return std::accumulate(job.prizes.begin(), job.prizes.end(), job.gone);
    }
};

}  // namespace

void WinBounds::solve(Progress& progress) const {
    const BoundsLayer layer(*this);
    run_crew(
        layer.count(), threads, [&](std::size_t at) { layer.write(at, secured, held_to); }, progress);
}

std::vector<std::int64_t> row_starts(const Bounds& bounds, const std::vector<int>& gone,
                                     std::size_t count) {
    std::vector<std::int64_t> starts{0};
    for (std::size_t place = 0; place < count * gone.size();) {
        std::int64_t values = 0;
        for (const int points : gone)
            values += kept(bounds, static_cast<std::int64_t>(place++), points).count();
        starts.push_back(starts.back() + values);
    }
    return starts;
}

void WinLayer::solve(Progress& progress) const {
    const Layer layer(*this);
    run_crew(layer.count(), threads, [&](std::size_t at) { layer.solve(at); }, progress);
}

}  // namespace gops
