// Exact tilings by boxes: see boxes.cpp.
#pragma once
#include "kernels.hpp"

#include <array>
#include <functional>
#include <vector>

namespace fairgroups {

constexpr std::size_t kMaxAxes = 8;

// What a group holds.
struct Sums {
    double a = 0, b = 0, rows = 0;
    Sums operator+(const Sums& o) const { return {a + o.a, b + o.b, rows + o.rows}; }
    Sums operator-(const Sums& o) const { return {a - o.a, b - o.b, rows - o.rows}; }
};

struct Axis {
    std::size_t size;    // cells, or levels of a categorical axis
    bool categorical;    // levels have no order: a cut parts any set of them from the others
};

// One side per axis: cells [low, high) of a numeric axis, or the set of levels as bits of `low`.
struct Side {
    std::uint64_t low = 0;
    std::uint32_t high = 0;
    bool operator==(const Side& o) const { return low == o.low && high == o.high; }
};
using Box = std::array<Side, kMaxAxes>;

// Called now and then with the share of the work done; throws to stop it.
using Tick = std::function<void(double)>;

// Sums of any box of a grid of cells.
class Grid {
   public:
    Grid(const double* a, const double* b, const double* rows, std::vector<Axis> axes, Limits limits);

    std::size_t n_axes() const { return axes_.size(); }
    const Axis& axis(std::size_t d) const { return axes_[d]; }
    Box whole() const;
    Sums sums(const Box& box) const;
    // The part of a numeric side's cells below each cut: out[c - low - 1] for low < c < high.
    void below(const Box& box, std::size_t d, std::vector<Sums>& out) const;
    // All ways to part the levels of a categorical side in two, as the first half; by rate order if they are many.
    std::vector<std::uint64_t> parts(const Box& box, std::size_t d) const;
    // The least that a group must hold; B above 0, and a limit met to twelve digits is met.
    double least_rows() const { return limits_.rows; }
    double least_b() const { return limits_.b - tiny_ > tiny_ ? limits_.b - tiny_ : tiny_; }
    double gain(const Sums& s) const {
        return s.rows < least_rows() || s.b < least_b() ? kNever : s.a * s.a / s.b;
    }
    double gain(const Box& box) const { return gain(sums(box)); }

   private:
    void add(const Box& box, std::size_t d, std::size_t at, double sign, Sums& out) const;
    std::vector<Axis> axes_;
    std::vector<std::size_t> stride_;
    std::vector<Sums> prefix_;
    Limits limits_;
    double tiny_;
};

// Visits every way to cut a box in two.
template <class Visit>
void for_each_cut(const Grid& grid, const Box& box, const Visit& visit) {
    for (std::size_t d = 0; d < grid.n_axes(); ++d) {
        Box left = box, right = box;
        if (grid.axis(d).categorical) {
            for (const std::uint64_t part : grid.parts(box, d)) {
                left[d].low = part, right[d].low = box[d].low & ~part;
                visit(left, right);
            }
            continue;
        }
        for (std::uint32_t c = static_cast<std::uint32_t>(box[d].low) + 1; c < box[d].high; ++c) {
            left[d].high = c, right[d].low = c;
            visit(left, right);
        }
    }
}

struct Tiling {
    double total = kNever;
    std::vector<Box> boxes;
};

// tilings[k - 1]: the best k boxes by successive cuts; for two numeric axes and k = 5 also the pinwheels.
std::vector<Tiling> best_boxes(const Grid& grid, std::size_t n_groups, const Tick& tick);

// The best boxes found for measures that do not add up, and what no boxes can exceed.
struct Frontier {
    double total = kNever, bound = kNever;
    std::vector<Box> boxes;
};

// frontiers[k - 1]: k boxes by successive cuts. With `against_rest` the variance of each group's rate against the rest's
// is maximised, for one grid; otherwise the sum over the grids, one for each measure, of the variance of Φ.
std::vector<Frontier> best_frontiers(const std::vector<Grid>& grids, std::size_t n_groups, bool against_rest,
                                     std::size_t width, const Tick& tick);

// Good, not proven best: keeps `width` unfinished tilings at each number of boxes.
std::vector<Tiling> beam_boxes(const Grid& grid, std::size_t n_groups, std::size_t width, const Tick& tick);

}  // namespace fairgroups
