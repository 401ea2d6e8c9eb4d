// Every box of a grid of cells, one after the other, with the sums of what it holds.
//
// All sides of all axes but the last are summed up into a strip of the last one; the strip is then handed on. A side of
// a numeric axis is a range of its cells, a side of a categorical one any set of its levels.
#pragma once
#include "boxes.hpp"

#include <vector>

namespace fairgroups {

constexpr std::size_t kAllSubsets = 8;  // levels of a category of which every set is looked at

// What each cell holds: `kept` numbers that are added up exactly, and `draws` others, for simulations.
template <std::size_t kKept>
struct CellSums {
    const double* kept_sums;  // cells × kept
    const float* drawn;       // cells × draws
    std::size_t draws;
};

template <std::size_t kKept, class Strip>
class EveryBox {
  public:
    EveryBox(std::vector<Axis> axes, std::size_t draws, Strip& strip)
        : axes_(std::move(axes)), draws_(draws), strip_(strip), inner_(axes_.size()), buffers_(axes_.size()) {
        std::size_t n = 1;
        for (std::size_t d = axes_.size(); d-- > 0;) inner_[d] = n, n *= axes_[d].size;
        for (std::size_t d = 0; d + 1 < axes_.size(); ++d) {
            buffers_[d].resize(axes_[d].categorical ? axes_[d].size : 1);
            for (Buffer& buffer : buffers_[d]) {
                buffer.kept.resize(inner_[d] * kKept);
                buffer.drawn.resize(inner_[d] * draws_);
            }
        }
    }

    void run(const CellSums<kKept>& cells) { open(0, cells.kept_sums, cells.drawn); }

  private:
    struct Buffer {
        std::vector<double> kept;
        std::vector<float> drawn;
    };

    void open(std::size_t d, const double* kept_sums, const float* drawn) {
        if (d + 1 == axes_.size()) {
            strip_.strip(box_, kept_sums, drawn);
            return;
        }
        if (axes_[d].categorical) {
            sets(d, 0, 0, 0, kept_sums, drawn, nullptr);
            return;
        }
        Buffer& sum = buffers_[d][0];
        const std::size_t m = axes_[d].size;
        for (std::size_t i = 0; i < m; ++i) {
            for (std::size_t j = i; j < m; ++j) {
                add(d, j, kept_sums, drawn, j == i ? nullptr : &sum, sum);
                box_[d] = {i, static_cast<std::uint32_t>(j + 1)};
                open(d + 1, sum.kept.data(), sum.drawn.data());
            }
        }
    }

    // Every set of levels, each built from one with a level less.
    void sets(std::size_t d, std::size_t first, std::size_t size, std::uint64_t mask, const double* kept_sums,
              const float* drawn, const Buffer* before) {
        for (std::size_t level = first; level < axes_[d].size; ++level) {
            Buffer& sum = buffers_[d][size];
            add(d, level, kept_sums, drawn, before, sum);
            const std::uint64_t with = mask | (std::uint64_t{1} << level);
            box_[d] = {with, 0};
            open(d + 1, sum.kept.data(), sum.drawn.data());
            sets(d, level + 1, size + 1, with, kept_sums, drawn, &sum);
        }
    }

    // out = before + the cells at one place of axis d.
    void add(std::size_t d, std::size_t at, const double* kept_sums, const float* drawn, const Buffer* before,
             Buffer& out) const {
        const double* more = kept_sums + at * inner_[d] * kKept;
        const float* more_drawn = drawn + at * inner_[d] * draws_;
        const std::size_t n = inner_[d] * kKept, n_drawn = inner_[d] * draws_;
        if (before == nullptr) {
            std::copy(more, more + n, out.kept.begin());
            std::copy(more_drawn, more_drawn + n_drawn, out.drawn.begin());
            return;
        }
        for (std::size_t i = 0; i < n; ++i) out.kept[i] = before->kept[i] + more[i];
        for (std::size_t i = 0; i < n_drawn; ++i) out.drawn[i] = before->drawn[i] + more_drawn[i];
    }

    std::vector<Axis> axes_;
    std::size_t draws_;
    Strip& strip_;
    std::vector<std::size_t> inner_;  // cells of all later axes
    std::vector<std::vector<Buffer>> buffers_;
    Box box_{};
};

constexpr std::size_t kDrawsInStep = 16;

// The largest statistics over all boxes of simulated data, for a multiple of 16 draws; see box_maxima.cpp.
struct BoxDraws {
    const float* drift;  // cells × draws: A less what is expected
    const double* sums;  // cells × 3: B, Σb² as noise feels it, rows
    std::size_t draws;
    double rate;    // of the draws; below 0 for normal ones
    double weight;  // of the penalty
    bool equal_weights;
    double n;  // of everybody, for the penalty; 0 where these cells are everybody
    const double* reached;  // by draw, what the statistic of the rate has reached already, that of Φ left aside; or null
};
void box_maxima(const BoxDraws& cells, const std::vector<Axis>& axes, double* rate_maxima, double* phi_maxima);

struct BoxFound {
    double excess;
    Box box;
};

// The box that differs most from the rest of the grid: `sums` holds cells × 4, A, B, noise and rows. The last axis may be
// a category of many levels, whose sets are those of the lowest and of the highest rates; others have at most eight.
BoxFound most_different_box(const double* sums, const std::vector<Axis>& axes, const RangeRule& rule);

}  // namespace fairgroups
