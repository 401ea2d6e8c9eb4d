// Sums of any box of a grid of cells, by running sums along the numeric axes.
#include "boxes.hpp"

#include <algorithm>
#include <numeric>

namespace fairgroups {
namespace {

constexpr std::size_t kAllParts = 8;  // up to this many levels, every way to part them is tried

}  // namespace

Grid::Grid(const double* a, const double* b, const double* rows, std::vector<Axis> axes, Limits limits)
    : axes_(std::move(axes)), stride_(axes_.size()), limits_(limits) {
    // Axis by axis, the cells become running sums with a zero in front; levels of a categorical axis stay apart.
    std::size_t n_cells = 1, n_prefix = 1;
    for (const Axis& axis : axes_) n_cells *= axis.size;
    for (std::size_t d = axes_.size(); d-- > 0;) {
        stride_[d] = n_prefix;
        n_prefix *= axes_[d].size + (axes_[d].categorical ? 0 : 1);
    }
    double total_a = 0, total_b = 0;
    for (std::size_t i = 0; i < n_cells; ++i) total_a += a[i], total_b += b[i];
    const double rate = total_a / total_b;
    tiny_ = kTie * total_b;
    prefix_.assign(n_prefix, {});
    std::vector<std::size_t> at(axes_.size(), 0);
    for (std::size_t i = 0; i < n_cells; ++i) {
        std::size_t where = 0;
        for (std::size_t d = 0; d < axes_.size(); ++d) where += stride_[d] * (at[d] + (axes_[d].categorical ? 0 : 1));
        prefix_[where] = {a[i] - rate * b[i], b[i], rows[i]};
        for (std::size_t d = axes_.size(); d-- > 0;) {
            if (++at[d] < axes_[d].size) break;
            at[d] = 0;
        }
    }
    for (std::size_t d = 0; d < axes_.size(); ++d) {
        if (axes_[d].categorical) continue;
        const std::size_t length = axes_[d].size + 1;
        for (std::size_t i = 0; i < n_prefix; ++i)
            if ((i / stride_[d]) % length != 0) prefix_[i] = prefix_[i] + prefix_[i - stride_[d]];
    }
}

Box Grid::whole() const {
    Box box{};
    for (std::size_t d = 0; d < axes_.size(); ++d) {
        if (axes_[d].categorical)
            box[d].low = axes_[d].size == 64 ? ~0ull : (1ull << axes_[d].size) - 1;
        else
            box[d].high = static_cast<std::uint32_t>(axes_[d].size);
    }
    return box;
}

void Grid::add(const Box& box, std::size_t d, std::size_t at, double sign, Sums& out) const {
    if (d == axes_.size()) {
        const Sums& s = prefix_[at];
        out.a += sign * s.a, out.b += sign * s.b, out.rows += sign * s.rows;
        return;
    }
    if (axes_[d].categorical) {
        for (std::uint64_t left = box[d].low, level = 0; left; left >>= 1, ++level)
            if (left & 1) add(box, d + 1, at + stride_[d] * level, sign, out);
        return;
    }
    add(box, d + 1, at + stride_[d] * box[d].high, sign, out);
    if (box[d].low > 0) add(box, d + 1, at + stride_[d] * box[d].low, -sign, out);
}

Sums Grid::sums(const Box& box) const {
    if (axes_.size() == 2 && !axes_[0].categorical && !axes_[1].categorical) {
        const Sums *high = &prefix_[stride_[0] * box[0].high], *low = &prefix_[stride_[0] * box[0].low];
        return (high[box[1].high] - high[box[1].low]) - (low[box[1].high] - low[box[1].low]);
    }
    Sums out;
    add(box, 0, 0, 1, out);
    return out;
}

void Grid::below(const Box& box, std::size_t d, std::vector<Sums>& out) const {
    out.clear();
    if (axes_.size() == 2 && !axes_[0].categorical && !axes_[1].categorical) {
        // Two running sums differ by the strip between them: half the look-ups of a box.
        const std::size_t other = 1 - d;
        const Sums *high = &prefix_[stride_[other] * box[other].high], *low = &prefix_[stride_[other] * box[other].low];
        const std::size_t first = stride_[d] * box[d].low, step = stride_[d];
        const Sums base = high[first] - low[first];
        for (std::size_t at = first + step, end = step * box[d].high; at < end; at += step)
            out.push_back((high[at] - low[at]) - base);
        return;
    }
    Box part = box;
    for (std::uint32_t c = static_cast<std::uint32_t>(box[d].low) + 1; c < box[d].high; ++c) {
        part[d].high = c;
        out.push_back(sums(part));
    }
}

std::vector<std::uint64_t> Grid::parts(const Box& box, std::size_t d) const {
    const std::uint64_t all = box[d].low;
    std::vector<std::uint64_t> out;
    std::vector<std::uint64_t> levels;
    for (std::uint64_t level = 1, left = all; left; left >>= 1, level <<= 1)
        if (left & 1) levels.push_back(level);
    if (levels.size() < 2) return out;
    if (levels.size() <= kAllParts) {  // every part that holds the first level, but not all of them
        for (std::uint64_t choice = 0; choice + 1 < (1ull << (levels.size() - 1)); ++choice) {
            std::uint64_t part = levels[0];
            for (std::size_t i = 1; i < levels.size(); ++i)
                if (choice >> (i - 1) & 1) part |= levels[i];
            out.push_back(part);
        }
        return out;
    }
    std::vector<double> rate(levels.size());
    Box one = box;
    for (std::size_t i = 0; i < levels.size(); ++i) {
        one[d].low = levels[i];
        const Sums s = sums(one);
        rate[i] = s.b > tiny_ ? s.a / s.b : 0;
    }
    std::vector<std::size_t> order(levels.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](std::size_t i, std::size_t j) { return rate[i] < rate[j]; });
    std::uint64_t part = 0;
    for (std::size_t i = 0; i + 1 < order.size(); ++i) out.push_back(part |= levels[order[i]]);
    return out;
}

}  // namespace fairgroups
