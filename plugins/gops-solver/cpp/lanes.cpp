#include "kernels.hpp"

namespace gops {

namespace {

bool supported(int lanes) {
#if defined(__x86_64__)
    __builtin_cpu_init();
    if (lanes == 8)
        return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
               __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw");
    if (lanes == 4) return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#endif
    return lanes == 2;
}

}  // namespace

std::vector<int> lanes_supported() {
    std::vector<int> found;
    for (const int lanes : {2, 4, 8})
        if (supported(lanes)) found.push_back(lanes);
    return found;
}

const Kernels& kernels_of(int lanes) {
#if defined(GOPS_X86)
    static const Kernels four{solve_points_4, solve_win_4};
    static const Kernels eight{solve_points_8, solve_win_8};
    if (lanes == 8) return eight;
    if (lanes == 4) return four;
#endif
    static const Kernels two{solve_points_2, solve_win_2};
    (void)lanes;
    return two;
}

}  // namespace gops
