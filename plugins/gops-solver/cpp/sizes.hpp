// How large things get.
#pragma once

namespace {

constexpr int kMostBids = 15;  // rows, or columns, of a matrix

}  // namespace
