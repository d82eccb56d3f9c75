// Threads that take work from a counter until there is none, or until they are told to stop.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>

namespace gops {

// What the caller sees and says of work in progress, from another thread.
struct Progress {
    std::atomic<double> share;  // of the work done
    std::atomic<int> stop;      // not 0: begin nothing more
};

// Call `work(i)` for each i below `count` on so many threads. What `work` throws stops the threads
// and is thrown on. `work` should take milliseconds: a thread stops between two calls of it.
void run_crew(std::size_t count, int threads, const std::function<void(std::size_t)>& work,
              Progress& progress);

}  // namespace gops
