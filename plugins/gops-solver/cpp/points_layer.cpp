#include "points_layer.hpp"

#include <numeric>

#include "crew.hpp"
#include "kernels.hpp"
#include "patterns.hpp"
#include "prizes.hpp"

namespace gops {

namespace {

class Layer {
public:
    Layer(const PointsLayer& job)
        : job_(job),
          kernel_(kernels_of(job.lanes).points),
          lists_(job.prizes, job.held),
          width_(sets_of(cards(), job.held).size()),
          width_below_(sets_of(cards(), job.held - 1).size()),
          level_(width_below_, 0.0) {}

    std::size_t count() const { return job_.kept.count; }

    // Solve the games of one pattern and write its row.
    void solve(std::size_t at) const {
        const Pattern pattern = job_.kept.first[at];
        const auto mine = bids(pattern, 0), theirs = bids(pattern, 1);
        std::vector<Follow> follow;
        for (const int a : mine)
            for (const int b : theirs) follow.push_back(after(pattern, a, b));
        kernel_({static_cast<int>(mine.size()), static_cast<int>(theirs.size()), job_.held,
                 static_cast<int>(width_), static_cast<int>(width_below_), shift(),
                 follow.data(), lists_.prizes().data(), cards(), job_.out + at * width_});
    }

private:
    const PointsLayer& job_;
    const PointsKernel kernel_;
    const PrizeLists lists_;
    const std::size_t width_, width_below_;
    const std::vector<double> level_;  // the values of a pattern that is its own mirror

    int cards() const { return static_cast<int>(job_.prizes.size()); }

    double shift() const { return std::accumulate(job_.prizes.begin(), job_.prizes.end(), 1); }

    Follow after(Pattern pattern, int mine, int theirs) const {
        const Place place = place_of(after_bids(pattern, mine, theirs), job_.kept_below);
        const double wins = mine > theirs ? 1 : mine < theirs ? -1 : 0;
        if (place.index < 0) return {level_.data(), 1, wins};
        const auto row = static_cast<std::size_t>(place.index) * width_below_;
        return {job_.below + row, place.flipped ? -1.0 : 1.0, wins};
    }
};

}  // namespace

void PointsLayer::solve(Progress& progress) const {
    const Layer layer(*this);
    run_crew(layer.count(), threads, [&](std::size_t at) { layer.solve(at); }, progress);
}

}  // namespace gops
