// Does any range inside a group differ from the rest of the group? The most different one, over all ranges, exactly.
//
// Starts and ends are taken in blocks, in pairs of blocks of a binary tree. A pair's bound comes from the largest and
// smallest running sum in each block; only pairs that could beat the best range so far are opened.
#include "kernels.hpp"

#include <algorithm>
#include <cmath>

namespace fairgroups {
namespace {

constexpr std::size_t kLeaf = 16;

class Scan {
  public:
    Scan(const RangeSums& s, std::size_t from, std::size_t to, const RangeRule& rule)
        : s_(s), rule_(rule), from_(from), to_(to), b_(s.b[to] - s.b[from]), bb_(s.bb[to] - s.bb[from]),
          rows_(s.rows[to] - s.rows[from]), mean_((s.a[to] - s.a[from]) / b_), least_b_(b_) {
        best_.excess = rule.decide ? 0 : -std::numeric_limits<double>::infinity();
        double most = 0;
        for (std::size_t i = from; i < to; ++i) {
            const double b = s.b[i + 1] - s.b[i];
            least_b_ = std::min(least_b_, b);
            most = std::max(most, b / (s.bb[i + 1] - s.bb[i]));
        }
        heaviest_ = most * (1 + 1e-12);
        drift_.resize(to - from + 1);
        for (std::size_t i = from; i <= to; ++i) drift_[i - from] = s.a[i] - s.a[from] - mean_ * (s.b[i] - s.b[from]);
        while ((kLeaf << depth_) < drift_.size()) ++depth_;
        ends_.assign(std::size_t{2} << depth_, {0, 0});
        build(1, 0, kLeaf << depth_);
    }

    RangeFound run() {
        const bool constant = rule_.scale <= 0 && (mean_ <= 0 || mean_ >= 1);
        if (to_ - from_ <= 1 || constant) return best_;
        glance();
        if (!done()) same(1, 0, kLeaf << depth_);
        return best_;
    }

  private:
    struct Ends {
        double low, high;
    };

    // Try ranges between the lowest and highest running sums of a few hundred blocks: what is to be beaten is then known
    // from the start, and most pairs of blocks need not be opened. Only its size is kept, a hair less, so that the range
    // that is found, among equals too, is the one that the search comes to.
    void glance() {
        constexpr std::size_t kBlocks = 256;
        if (drift_.size() < 16 * kBlocks) return;
        const RangeFound before = best_;
        std::vector<std::size_t> marks;
        for (std::size_t k = 0; k < kBlocks; ++k) {
            const auto first = drift_.begin() + static_cast<std::ptrdiff_t>(k * drift_.size() / kBlocks);
            const auto last = drift_.begin() + static_cast<std::ptrdiff_t>((k + 1) * drift_.size() / kBlocks);
            const auto [low, high] = std::minmax_element(first, last);
            marks.push_back(static_cast<std::size_t>(std::min(low, high) - drift_.begin()));
            marks.push_back(static_cast<std::size_t>(std::max(low, high) - drift_.begin()));
        }
        for (std::size_t i = 0; i < marks.size() && !done(); ++i)
            for (std::size_t j = i + 1; j < marks.size(); ++j)
                if (marks[i] < marks[j]) range(marks[i], marks[j]);
        if (done()) return;
        const double found = best_.excess;
        best_ = before;
        if (found > before.excess) best_.excess = std::max(before.excess, found - 1e-9 * (1 + std::abs(found)));
    }

    Ends build(std::size_t node, std::size_t first, std::size_t last) {
        Ends ends{std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()};
        if (last - first == kLeaf) {
            for (std::size_t i = first; i < std::min(last, drift_.size()); ++i) {
                ends.low = std::min(ends.low, drift_[i]);
                ends.high = std::max(ends.high, drift_[i]);
            }
        } else {
            const std::size_t middle = (first + last) / 2;
            const Ends left = build(2 * node, first, middle), right = build(2 * node + 1, middle, last);
            ends = {std::min(left.low, right.low), std::max(left.high, right.high)};
        }
        return ends_[node] = ends;
    }

    // The root that a range must exceed, for the smaller of the effective sizes of the range and the rest.
    double threshold(double n, double rows) const {
        double ratio = rule_.n / std::max(n, 1e-9);
        if (!rule_.equal_weights) ratio = std::max(ratio, rule_.rows / std::max(rows, 1.0));
        const double larger = rule_.penalty * std::sqrt(2 * (1 + std::log(std::max(ratio, 1.0))));
        return std::max(rule_.quantile + larger, rule_.least_root);
    }

    bool done() const { return rule_.decide && best_.excess > 0; }

    void same(std::size_t node, std::size_t first, std::size_t last) {
        if (first >= drift_.size() || done()) return;
        if (last - first == kLeaf) {
            leaf(first, last, first, last);
            return;
        }
        const std::size_t middle = (first + last) / 2;
        apart(2 * node, first, middle, 2 * node + 1, middle, last);  // long ranges first: they show the most
        same(2 * node, first, middle);
        same(2 * node + 1, middle, last);
    }

    void apart(std::size_t left, std::size_t l0, std::size_t l1, std::size_t right, std::size_t r0, std::size_t r1) {
        if (r0 >= drift_.size() || done()) return;
        l1 = std::min(l1, drift_.size());
        r1 = std::min(r1, drift_.size());
        if (!worth(ends_[left], l0, l1, ends_[right], r0, r1)) return;
        if (left >= (std::size_t{1} << depth_)) {
            leaf(l0, l1, r0, r1);
            return;
        }
        const std::size_t size = kLeaf << (depth_ - level(left)), half = size / 2;
        apart(2 * left + 1, l0 + half, l0 + size, 2 * right, r0, r0 + half);
        apart(2 * left, l0, l0 + half, 2 * right, r0, r0 + half);
        apart(2 * left + 1, l0 + half, l0 + size, 2 * right + 1, r0 + half, r0 + size);
        apart(2 * left, l0, l0 + half, 2 * right + 1, r0 + half, r0 + size);
    }

    static std::size_t level(std::size_t node) {
        std::size_t out = 0;
        while (node >>= 1) ++out;
        return out;
    }

    double b_between(std::size_t i, std::size_t j) const { return s_.b[from_ + j] - s_.b[from_ + i]; }
    double bb_between(std::size_t i, std::size_t j) const { return s_.bb[from_ + j] - s_.bb[from_ + i]; }
    double rows_between(std::size_t i, std::size_t j) const { return s_.rows[from_ + j] - s_.rows[from_ + i]; }

    // Could a range that starts in [l0, l1) and ends in [r0, r1) beat the best so far?
    bool worth(const Ends& left, std::size_t l0, std::size_t l1, const Ends& right, std::size_t r0, std::size_t r1) const {
        const double b_most = b_between(l0, r1 - 1), b_least = b_between(l1 - 1, r0);
        const double rows_most = rows_between(l0, r1 - 1), rows_least = rows_between(l1 - 1, r0);
        if (rows_most < rule_.min_rows || b_most < rule_.min_b || rows_ - rows_least < rule_.min_rows ||
            b_ - b_least < rule_.min_b)
            return false;
        const double n = std::min({heaviest_ * b_most, heaviest_ * (b_ - b_least), rule_.n});
        const double need = threshold(n, std::min(rows_most, rows_ - rows_least)) + best_.excess;
        if (need <= 0) return true;
        const double square = need * need;
        return above(right.high - left.low, mean_, b_least, b_ - b_most, square) ||
               above(left.high - right.low, 1 - mean_, b_least, b_ - b_most, square);
    }

    // Does a bound on the squared root for a sum `drift` above what is expected exceed `square`?
    bool above(double drift, double mean, double own, double rest, double square) const {
        if (drift <= 0) return square <= 0;
        if (rule_.scale > 0) {
            rest = std::max(rest, least_b_);
            return heaviest_ * drift * drift * (1 / own + 1 / rest) > square * rule_.scale * rule_.scale;
        }
        own = std::max(own, drift / (1 - mean));
        rest = std::max(rest, drift / mean);
        const double simple = 2 * heaviest_ * drift * drift * (1 / own + 1 / rest) / (mean * (1 - mean));
        if (simple <= square) return false;
        const double p = std::min(mean + drift / own, 1.0), q = std::max(mean - drift / rest, 0.0);
        return 2 * heaviest_ * (own * kl(p, mean) + rest * kl(q, mean)) > square;
    }

    void leaf(std::size_t l0, std::size_t l1, std::size_t r0, std::size_t r1) {
        l1 = std::min(l1, drift_.size());
        r1 = std::min(r1, drift_.size());
        for (std::size_t i = l0; i < l1; ++i)
            for (std::size_t j = std::max(r0, i + 1); j < r1; ++j) range(i, j);
    }

    void range(std::size_t i, std::size_t j) {
        const double b = b_between(i, j), rest = b_ - b, rows = rows_between(i, j);
        if (rows < rule_.min_rows || b < rule_.min_b || rows_ - rows < rule_.min_rows || rest < rule_.min_b) return;
        if (j - i == to_ - from_) return;
        const double drift = drift_[j] - drift_[i];
        const double n = std::min(b * b / bb_between(i, j), rule_.n);
        const double bb_rest = bb_ - bb_between(i, j), n_rest = rest * rest / bb_rest;
        if (!(bb_rest > 0) || !(rest > 0)) return;
        const double need = threshold(std::min(n, n_rest), std::min(rows, rows_ - rows));
        const double p = mean_ + drift / b, q = mean_ - drift / rest;
        double root;
        if (rule_.scale > 0) {
            root = std::abs(p - q) / (rule_.scale * std::sqrt(1 / n + 1 / n_rest));
        } else {
            const double least = need + best_.excess, spread = mean_ * (1 - mean_);
            const double most = 2 * ((p - mean_) * (p - mean_) * n + (q - mean_) * (q - mean_) * n_rest);
            if (least > 0 && most <= least * least * spread) return;
            const double own = std::clamp(p, 0.0, 1.0), other = std::clamp(q, 0.0, 1.0);
            const double pooled = (n * own + n_rest * other) / (n + n_rest);
            root = std::sqrt(2 * (n * kl(own, pooled) + n_rest * kl(other, pooled)));
        }
        if (root - need > best_.excess) best_ = {root - need, from_ + i, from_ + j};
    }

    const RangeSums& s_;
    const RangeRule& rule_;
    const std::size_t from_, to_;
    const double b_, bb_, rows_, mean_;
    double least_b_, heaviest_ = 0;
    std::size_t depth_ = 0;
    std::vector<double> drift_;
    std::vector<Ends> ends_;
    RangeFound best_{};
};

}  // namespace

RangeFound most_different(const RangeSums& sums, std::size_t from, std::size_t to, const RangeRule& rule) {
    return Scan(sums, from, to, rule).run();
}

}  // namespace fairgroups
