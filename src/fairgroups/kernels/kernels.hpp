// The inner loops of fairgroups. Arrays in, arrays out; every check of a user's input happens in Python.
#pragma once
#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <exception>
#include <functional>
#include <limits>
#include <stdexcept>
#include <utility>
#include <vector>

namespace fairgroups {

constexpr double kNever = -std::numeric_limits<double>::infinity();
// Two totals closer than this share of the best one are a tie.
constexpr double kTie = 1e-12;

// The Kullback-Leibler divergence of Bernoulli(p) from Bernoulli(q).
inline double kl(double p, double q) {
    double sum = 0;
    if (p > 0) sum += p * std::log(p / q);
    if (p < 1) sum += (1 - p) * std::log((1 - p) / (1 - q));
    return std::max(sum, 0.0);
}

// Ctrl-C reaches the main thread of Python only. While that one waits for kernels on other threads it asks them to end,
// and they look between two draws.
inline std::atomic<bool> asked_to_end{false};

inline void end_if_asked() {
    if (asked_to_end.load(std::memory_order_relaxed)) throw std::runtime_error("ended by Ctrl-C on another thread.");
}

// Watches over a long search: lets Ctrl-C in from the thread that called, and ends the search on every thread when one
// came, or when it has done more work than it may.
class Watch {
   public:
    explicit Watch(std::function<void()> pause, double most_work = 0)
        : pause_(std::move(pause)), most_(most_work > 0 ? most_work : std::numeric_limits<double>::infinity()) {}

    // Work was done; whether to go on. Only the thread that called (`caller`) may let a signal in.
    bool go_on(std::size_t work, bool caller) {
        const double all = static_cast<double>(done_.fetch_add(work, std::memory_order_relaxed)) + static_cast<double>(work);
        if (all > most_) gave_up_ = true, stop_ = true;
        if (caller && !stop_) {
            try {
                pause_();
            } catch (...) {
                signal_ = std::current_exception();
                stop_ = true;
            }
        }
        return !stop_;
    }
    bool stopped() const { return stop_.load(std::memory_order_relaxed); }
    bool gave_up() const { return gave_up_; }
    void rethrow() const {
        if (signal_) std::rethrow_exception(signal_);
    }

    static constexpr std::size_t kLook = std::size_t{1} << 24;  // steps between two looks, some hundredths of a second

   private:
    std::function<void()> pause_;
    double most_;
    std::atomic<std::uint64_t> done_{0};
    std::atomic<bool> stop_{false}, gave_up_{false};
    std::exception_ptr signal_;
};

// Running sums of the cells: A and B of cells [i, j) are a[j] - a[i] and b[j] - b[i].
// `a` is centred (the overall rate times b is taken off), so that squares keep their digits.
struct Prefix {
    std::vector<double> a, b, rows;

    std::vector<std::int64_t> cells;  // the first cell of each step, and one past the last

    // With `merge`, neighbouring cells of equal rate are one step.
    Prefix(const double* a_in, const double* b_in, const double* rows_in, std::size_t n, bool merge);
    Prefix() = default;
    std::size_t size() const { return a.size() - 1; }
    double gain(std::size_t i, std::size_t j) const {
        const double s = a[j] - a[i];
        return s * s / (b[j] - b[i]);
    }
    double mean(std::size_t i, std::size_t j) const { return (a[j] - a[i]) / (b[j] - b[i]); }
    Prefix reversed() const;
    Prefix at(const std::vector<std::int64_t>& borders) const;
};

struct Limits {
    double rows = 0;
    double b = 0;
    bool allow(const Prefix& p, std::size_t i, std::size_t j) const {
        // Sums of weights carry rounding: a limit met to twelve digits is met.
        return p.rows[j] - p.rows[i] >= rows && p.b[j] - p.b[i] >= b - kTie * p.b.back();
    }
};

// borders[k - 1]: the k - 1 inner borders (cell indices) of the best k groups; empty past the last feasible k.
using Path = std::vector<std::vector<std::int64_t>>;

// totals[k - 1][j]: the largest sum of A²/B over k groups of the first j cells; kNever where none is allowed.
// Unless `complete`, the last k is worked out for all the cells only. Empty where the watch ended it.
std::vector<std::vector<double>> segment_totals(const Prefix& p, std::size_t n_groups, Limits limits, bool complete,
                                                Watch& watch);

// Empty where the search gave up: the list of candidates grows long where rates rise all but without a break.
Path best_segments(const double* a, const double* b, const double* rows, std::size_t n, std::size_t n_groups,
                   Limits limits, Watch& watch);

// The same for cells whose rates rise, or fall: n log n steps instead of up to n².
Path best_sorted(const double* a, const double* b, const double* rows, std::size_t n, std::size_t n_groups,
                 Limits limits, Watch& watch);

// The same under strictly increasing group means.
Path best_increasing(const double* a, const double* b, const double* rows, std::size_t n, std::size_t n_groups,
                     Limits limits, Watch& watch);

// First cells of the blocks of the increasing isotonic regression; neighbours with equal means are one block.
std::vector<std::int64_t> isotonic_blocks(const double* a, const double* b, std::size_t n);

// Largest multiscale statistics of simulated draws: see evidence/band.py.
void cell_maxima(const double* prefix, const double* sizes, std::size_t n_cells, std::size_t n_draws, double rate,
                 double weight, double* rate_maxima, double* phi_maxima);
void window_maxima(const std::int32_t* prefix, std::size_t n_rows, const std::int64_t* lengths,
                   std::size_t n_lengths, double rate, double* rate_maximum, double* phi_maximum);
void gaussian_window_maxima(const double* prefix, std::size_t n_rows, const std::int64_t* lengths,
                            std::size_t n_lengths, double* rate_maximum, double* phi_maximum);

// Running sums of a measure over units, each with a zero in front.
struct RangeSums {
    const double *a, *b, *bb, *rows;
};

// When a range differs from the rest of its group: if the root of the likelihood ratio exceeds
// max(quantile + √(2 log(eN/n)), least_root), n being the smaller effective size of the two.
struct RangeRule {
    double quantile, penalty, least_root, n, rows;  // n and rows: of everybody
    bool equal_weights;
    double scale;  // standard deviation of a row's value; 0 for rates between 0 and 1
    double min_rows, min_b;
    bool decide;  // only whether a range differs: any that does will do
};

struct RangeFound {
    double excess;  // root minus what it must exceed; above 0 the range differs
    std::size_t from, to;
};

// The range of [from, to) that differs most from the rest of it; an excess of 0 where none does and `decide` is set.
RangeFound most_different(const RangeSums& sums, std::size_t from, std::size_t to, const RangeRule& rule);

// People whose outcomes are dealt out again. They lie by stratum, from starts[s] up to starts[s + 1]. With `yes`, so
// many of a stratum have the outcome, and it is dealt to others of the stratum; without, `values` say by how much each
// departs from the rate of the stratum, and these are dealt. With `clusters` they are not: the values of one cluster are
// multiplied by one random number.
struct DealtPeople {
    const std::int64_t* starts;
    std::size_t n_strata;
    const std::int64_t* yes;
    const double *values, *weights;
    const std::int32_t* clusters;
    std::size_t n_clusters;
};

// How far each cell of some columns departs from the rates of its people's strata, draw by draw. `codes` holds a row of
// cells for each column, `sizes` how many it has; `out` a row for each draw, column after column.
void deal_sums(const DealtPeople& people, const std::uint16_t* codes, const std::vector<std::size_t>& sizes,
               std::size_t n_draws, std::uint64_t seed, float* out);

// For every region what its sum is multiplied by, where it is above 0 and where it is below (0: the region is passed
// over), and what it is charged.
struct RegionScale {
    const float *above, *below, *charge;

    RegionScale from(std::int64_t first) const { return {above + first, below + first, charge + first}; }
};

struct DealtAxis {
    std::size_t size;
    bool categorical;
};

// Pairs of columns, and the scale of every box of each pair, from `first` on.
struct DealtPairs {
    std::size_t n;
    const std::int32_t* columns;
    const std::int64_t* first;
    RegionScale scale;
};

// For each draw, the largest statistic over all boxes of each of the pairs chosen for it. Draws are those of `deal_sums`
// with the same seed. Who lies in no cell of a column has the code after its last.
void deal_pairs(const DealtPeople& people, const std::uint16_t* codes, const std::vector<DealtAxis>& axes,
                const DealtPairs& pairs, const std::int32_t* chosen, std::size_t n_chosen, std::size_t n_draws,
                std::uint64_t seed, float* out);

constexpr std::size_t kAllSets = 8;  // levels of which every set is a side; of more, each level alone and all of them

// How many regions a grid has: ranges of cells along each number; sets of levels of a category, or each level alone and
// all of them where there are more than eight.
std::size_t n_regions(const std::vector<std::pair<std::size_t, bool>>& axes);

// For each draw, the largest statistic over all regions: the sum over a region as its scale says. Draws come in blocks
// of kRegionDraws that lie side by side: block, cell, draw.
constexpr std::size_t kRegionDraws = 16;
void region_maxima(const float* draws, std::size_t n_blocks, const std::vector<std::pair<std::size_t, bool>>& axes,
                   const RegionScale& scale, float* largest);

}  // namespace fairgroups
