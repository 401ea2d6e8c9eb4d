// The largest statistic of simulated draws over every region of a grid, each sum over a region times a number of the
// region's own, less what the region is charged. Draws lie side by side.
#include "kernels.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace fairgroups {
namespace {

constexpr std::size_t kDraws = kRegionDraws;

class Regions {
  public:
    Regions(const std::vector<std::pair<std::size_t, bool>>& axes, const RegionScale& scale)
        : axes_(axes), scale_(scale), inner_(axes.size()), slabs_(axes.size()), runs_(axes.size()) {
        std::size_t inner = kDraws;
        for (std::size_t d = axes.size(); d-- > 0;) {
            inner_[d] = inner;  // what one cell of the axis holds
            slabs_[d].resize(inner), runs_[d].resize((axes[d].first + 1) * inner);
            inner *= axes[d].first;
        }
    }

    void run(const float* cells, float* largest) {
        at_ = 0, largest_ = largest;
        visit(0, cells);
    }

  private:
    void visit(std::size_t d, const float* cells) {
        if (d == axes_.size()) return look(cells);
        const auto [size, categorical] = axes_[d];
        const std::size_t n = inner_[d];
        float* slab = slabs_[d].data();
        if (categorical) {
            const bool all = size <= kAllSets;
            const std::size_t sets = all ? (std::size_t{1} << size) - 1 : size + 1;
            for (std::size_t k = 1; k <= sets; ++k) {
                std::fill(slab, slab + n, 0.0f);
                for (std::size_t i = 0; i < size; ++i)
                    if (all ? (k >> i & 1) != 0 : (k == i + 1 || k == size + 1))
                        for (std::size_t j = 0; j < n; ++j) slab[j] += cells[i * n + j];
                visit(d + 1, slab);
            }
            return;
        }
        float* runs = runs_[d].data();
        std::fill(runs, runs + n, 0.0f);
        for (std::size_t i = 0; i < size; ++i)
            for (std::size_t j = 0; j < n; ++j) runs[(i + 1) * n + j] = runs[i * n + j] + cells[i * n + j];
        for (std::size_t low = 0; low < size; ++low)
            for (std::size_t high = low + 1; high <= size; ++high) {
                const float *first = runs + low * n, *last = runs + high * n;
                for (std::size_t j = 0; j < n; ++j) slab[j] = last[j] - first[j];
                visit(d + 1, slab);
            }
    }

    void look(const float* sums) {
        const float above = scale_.above[at_], below = scale_.below[at_], charge = scale_.charge[at_];
        ++at_;
        if (!(above > 0)) return;
        for (std::size_t j = 0; j < kDraws; ++j)
            largest_[j] = std::max(largest_[j], std::max(sums[j] * above, -sums[j] * below) - charge);
    }

    const std::vector<std::pair<std::size_t, bool>>& axes_;
    const RegionScale scale_;
    std::vector<std::size_t> inner_;
    std::vector<std::vector<float>> slabs_, runs_;
    std::size_t at_ = 0;
    float* largest_ = nullptr;
};

}  // namespace

std::size_t n_regions(const std::vector<std::pair<std::size_t, bool>>& axes) {
    std::size_t n = 1;
    for (const auto& [size, categorical] : axes)
        n *= !categorical ? size * (size + 1) / 2 : size <= kAllSets ? (std::size_t{1} << size) - 1 : size + 1;
    return n;
}

void region_maxima(const float* draws, std::size_t n_blocks, const std::vector<std::pair<std::size_t, bool>>& axes,
                   const RegionScale& scale, float* largest) {
    std::size_t n_cells = 1;
    for (const auto& [size, categorical] : axes) n_cells *= size;
    Regions regions(axes, scale);
    for (std::size_t k = 0; k < n_blocks; ++k) {
        end_if_asked();
        regions.run(draws + k * n_cells * kDraws, largest + k * kDraws);
    }
}

}  // namespace fairgroups
