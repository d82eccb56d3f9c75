// Threads that take work from a counter until there is none, or until they are told to stop.
#pragma once

#include <cstddef>
#include <functional>

namespace gops {

// Call `work(i)` for each i below `count` on so many threads, and `tick(share done)` on the calling
// thread about ten times a second. What `tick` throws stops the threads and is thrown on; so is
// what `work` throws. `work` should take milliseconds: a thread stops between two calls of it.
void run_crew(std::size_t count, int threads, const std::function<void(std::size_t)>& work,
              const std::function<void(double)>& tick);

}  // namespace gops
