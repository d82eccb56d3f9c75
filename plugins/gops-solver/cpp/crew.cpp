#include "crew.hpp"

#include <future>
#include <vector>

namespace gops {

void run_crew(std::size_t count, int threads, const std::function<void(std::size_t)>& work,
              Progress& progress) {
    std::atomic<std::size_t> next{0}, done{0};
    const auto labour = [&] {
        try {
            for (std::size_t at = next++; at < count && !progress.stop; at = next++) {
                work(at);
                progress.share = static_cast<double>(++done) / static_cast<double>(count);
            }
        } catch (...) {
            progress.stop = 1;
            throw;
        }
    };
    std::vector<std::future<void>> crew;  // their destructors wait for the threads
    try {
        for (int at = 0; at < threads; ++at)
            crew.push_back(std::async(std::launch::async, labour));
    } catch (...) {
        progress.stop = 1;
        throw;
    }
    for (auto& member : crew) member.get();
}

}  // namespace gops
