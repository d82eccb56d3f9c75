#include "crew.hpp"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace gops {

namespace {

constexpr auto kTick = std::chrono::milliseconds(100);

class Crew {
public:
    Crew(std::size_t count, const std::function<void(std::size_t)>& work)
        : count_(count), work_(work) {}

    ~Crew() {
        stop_ = true;
        for (auto& thread : threads_) thread.join();
    }

    void start(int threads) {
        for (int at = 0; at < threads; ++at) {
            const std::lock_guard lock(mutex_);
            threads_.emplace_back([this] { labour(); });
            ++working_;
        }
    }

    // Wait until all is done; what was thrown by the work is thrown here.
    void wait(const std::function<void(double)>& tick) {
        std::unique_lock lock(mutex_);
        while (!all_home_.wait_for(lock, kTick, [this] { return working_ == 0; })) {
            lock.unlock();
            tick(static_cast<double>(done_) / static_cast<double>(count_));
            lock.lock();
        }
        if (failure_) std::rethrow_exception(failure_);
    }

private:
    const std::size_t count_;
    const std::function<void(std::size_t)>& work_;
    std::vector<std::thread> threads_;
    std::atomic<std::size_t> next_{0};
    std::atomic<std::size_t> done_{0};
    std::atomic<bool> stop_{false};
    std::mutex mutex_;
    std::condition_variable all_home_;
    int working_ = 0;
    std::exception_ptr failure_;

    void labour() {
        try {
            for (std::size_t at = next_++; at < count_ && !stop_; at = next_++) {
                work_(at);
                ++done_;
            }
        } catch (...) {
            stop_ = true;
            const std::lock_guard lock(mutex_);
            failure_ = std::current_exception();
        }
        const std::lock_guard lock(mutex_);
        --working_;
        all_home_.notify_all();
    }
};

}  // namespace

void run_crew(std::size_t count, int threads, const std::function<void(std::size_t)>& work,
              const std::function<void(double)>& tick) {
    Crew crew(count, work);
    crew.start(threads);
    crew.wait(tick);
}

}  // namespace gops
