// Does any box inside a box of cells differ from the rest of it? The most different one, over all boxes, exactly.
//
// What ranges.cpp does on the line. There are some hundred thousand boxes, and a bound without logarithms rules nearly
// all of them out.
#include "every_box.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace fairgroups {
namespace {

constexpr double kEqual = 1e-9;  // statistics closer than this are a tie, and the first box stays

class Scan {
  public:
    Scan(const double* sums, const std::vector<Axis>& axes, const RangeRule& rule)
        : rule_(rule), axes_(axes), last_(axes.back()) {
        std::size_t n_cells = 1;
        for (const Axis& axis : axes) n_cells *= axis.size;
        for (std::size_t c = 0; c < n_cells; ++c)
            for (std::size_t q = 0; q < 4; ++q) all_[q] += sums[4 * c + q];
        mean_ = all_[1] > 0 ? all_[0] / all_[1] : 0;
        const std::size_t sets = last_.categorical ? (many() ? 1 : std::size_t{1} << last_.size) : last_.size + 1;
        kept_.assign(4 * sets, 0);
        best_.excess = kNever;
    }

    BoxFound run(const double* sums) {
        const bool constant = rule_.scale <= 0 && (mean_ <= 0 || mean_ >= 1);
        if (!(all_[1] > 0) || constant) return best_;
        EveryBox<4, Scan>(axes_, 0, *this).run({sums, nullptr, 0});
        return best_;
    }

    void strip(const Box& outer, const double* kept, const float*) {
        Box box = outer;
        Side& side = box[axes_.size() - 1];
        if (many()) return ordered(box, side, kept);
        if (last_.categorical) {
            for (std::size_t set = 1; set < std::size_t{1} << last_.size; ++set) {
                std::size_t level = 0;
                while (!(set >> level & 1)) ++level;
                sum(kept, level, set & (set - 1), set);
                side = {set, 0};
                look(box, &kept_[4 * set], &kept_[0]);
            }
            return;
        }
        for (std::size_t i = 0; i < last_.size; ++i) sum(kept, i, i, i + 1);
        for (std::size_t i = 0; i < last_.size; ++i)
            for (std::size_t j = i + 1; j <= last_.size; ++j) {
                side = {i, static_cast<std::uint32_t>(j)};
                look(box, &kept_[4 * j], &kept_[4 * i]);
            }
    }

  private:
    bool many() const { return last_.categorical && last_.size > kAllSubsets; }

    void sum(const double* kept, std::size_t at, std::size_t from, std::size_t to) {
        for (std::size_t q = 0; q < 4; ++q) kept_[4 * to + q] = kept_[4 * from + q] + kept[4 * at + q];
    }

    void ordered(Box& box, Side& side, const double* kept) {
        std::vector<std::size_t> order;
        for (std::size_t i = 0; i < last_.size; ++i)
            if (kept[4 * i + 1] > 0) order.push_back(i);
        const auto rate = [&](std::size_t i) { return kept[4 * i] / kept[4 * i + 1]; };
        std::stable_sort(order.begin(), order.end(), [&](std::size_t i, std::size_t j) { return rate(i) < rate(j); });
        const double nothing[4] = {0, 0, 0, 0};
        for (int end = 0; end < 2; ++end) {
            double sums[4] = {0, 0, 0, 0};
            side = {0, 0};
            for (std::size_t at = 0; at < order.size(); ++at) {
                const std::size_t i = order[end == 0 ? at : order.size() - 1 - at];
                for (std::size_t q = 0; q < 4; ++q) sums[q] += kept[4 * i + q];
                side.low |= std::uint64_t{1} << i;
                look(box, sums, nothing);
            }
        }
    }

    double threshold(double n, double rows) const {
        double ratio = rule_.n / std::max(n, 1e-9);
        if (!rule_.equal_weights) ratio = std::max(ratio, rule_.rows / std::max(rows, 1.0));
        const double penalty = std::sqrt(2 * (1 + std::log(std::max(ratio, 1.0))));
        return std::max(rule_.quantile + rule_.penalty * penalty, rule_.least_root);
    }

    void look(const Box& box, const double* high, const double* low) {
        const double b = high[1] - low[1], rows = high[3] - low[3], rest = all_[1] - b, rows_rest = all_[3] - rows;
        if (rows < rule_.min_rows || rows_rest < rule_.min_rows || b < rule_.min_b || rest < rule_.min_b) return;
        const double noise = high[2] - low[2], noise_rest = all_[2] - noise;
        if (!(b > 1e-12 * all_[1]) || !(rest > 1e-12 * all_[1]) || !(noise > 0) || !(noise_rest > 0)) return;
        const double drift = high[0] - low[0] - mean_ * b;
        const double n = std::min(b * b / noise, rule_.n), n_rest = rest * rest / noise_rest;
        const double p = mean_ + drift / b, q = mean_ - drift / rest;
        // The threshold is at least that of half of everybody: often enough to pass a box over without a logarithm.
        const double spread = mean_ * (1 - mean_);
        const double most = 2 * ((p - mean_) * (p - mean_) * n + (q - mean_) * (q - mean_) * n_rest);
        const double easy = std::max(rule_.quantile + rule_.penalty * 1.84, rule_.least_root) + best_.excess;
        if (rule_.scale <= 0 && easy > 0 && most <= easy * easy * spread) return;
        const double need = threshold(std::min(n, n_rest), std::min(rows, rows_rest));
        double root;
        if (rule_.scale > 0) {
            root = std::abs(p - q) / (rule_.scale * std::sqrt(1 / n + 1 / n_rest));
        } else {
            const double least = need + best_.excess;
            if (least > 0 && most <= least * least * spread) return;
            const double own = std::clamp(p, 0.0, 1.0), other = std::clamp(q, 0.0, 1.0);
            const double pooled = (n * own + n_rest * other) / (n + n_rest);
            root = std::sqrt(2 * (n * kl(own, pooled) + n_rest * kl(other, pooled)));
        }
        const double excess = root - need;
        if (!(best_.excess > kNever) || excess > best_.excess + kEqual * (1 + std::abs(best_.excess))) best_ = {excess, box};
    }

    const RangeRule& rule_;
    const std::vector<Axis>& axes_;
    const Axis last_;
    double all_[4] = {0, 0, 0, 0}, mean_ = 0;
    std::vector<double> kept_;
    BoxFound best_{};
};

}  // namespace

BoxFound most_different_box(const double* sums, const std::vector<Axis>& axes, const RangeRule& rule) {
    return Scan(sums, axes, rule).run(sums);
}

}  // namespace fairgroups
