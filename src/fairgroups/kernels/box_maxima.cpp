// The largest multiscale statistics over all boxes of simulated data: what the band of several attributes is
// calibrated on. The statistics are those of maxima.cpp, for a box and its complement.
//
// Draws lie side by side, so that one box is looked at in all of them at once. A bound without logarithms rules nearly
// all of them out.
#include "every_box.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace fairgroups {
namespace {

constexpr double kFloor = -2, kNotAsked = 1e6;
constexpr std::size_t kLane = kDrawsInStep;

class Maxima {
  public:
    Maxima(const BoxDraws& cells, const std::vector<Axis>& axes, double* rate_maxima, double* phi_maxima)
        : draws_(cells.draws), rate_(cells.rate), weight_(cells.weight), equal_(cells.equal_weights),
          last_(axes.back()), of_rate_(rate_maxima), of_phi_(phi_maxima), shift_(draws_), spread_(draws_, 1.0F),
          near_rate_(draws_), near_phi_(draws_) {
        std::size_t n_cells = 1;
        for (const Axis& axis : axes) n_cells *= axis.size;
        for (std::size_t c = 0; c < n_cells; ++c)
            b_ += cells.sums[3 * c], noise_ += cells.sums[3 * c + 1], rows_ += cells.sums[3 * c + 2];
        n_ = cells.n > 0 ? cells.n : b_ * b_ / noise_;
        std::fill(of_rate_, of_rate_ + draws_, kFloor);
        std::fill(of_phi_, of_phi_ + draws_, cells.reached == nullptr ? kFloor : kNotAsked);
        if (cells.reached != nullptr) std::copy(cells.reached, cells.reached + draws_, of_rate_);
        std::vector<double> total(draws_);
        for (std::size_t c = 0; c < n_cells; ++c)
            for (std::size_t k = 0; k < draws_; ++k) total[k] += cells.drift[c * draws_ + k];
        lowest_ = highest_ = rate_;
        for (std::size_t k = 0; k < draws_; ++k) {
            shift_[k] = static_cast<float>(total[k] / b_);
            if (normal()) continue;
            const double pooled = std::clamp(rate_ + shift_[k], 0.0, 1.0);
            spread_[k] = static_cast<float>(pooled * (1 - pooled));
            lowest_ = std::min(lowest_, pooled), highest_ = std::max(highest_, pooled);
        }
        for (std::size_t k = 0; k < draws_; ++k) {
            remember(k);
            top_ = std::max(top_, of_rate_[k]);
        }
        const std::size_t sets = last_.categorical ? (many() ? 1 : std::size_t{1} << last_.size) : last_.size + 1;
        kept_.assign(3 * sets, 0);
        drawn_.assign(draws_ * sets, 0);
    }

    void strip(const Box&, const double* kept, const float* drawn) {
        end_if_asked();
        if (many()) return ordered(kept, drawn);
        if (last_.categorical) {
            for (std::size_t set = 1; set < std::size_t{1} << last_.size; ++set) {
                std::size_t level = 0;
                while (!(set >> level & 1)) ++level;
                sum(kept, drawn, level, set & (set - 1), set);
                box(set, 0);
            }
            return;
        }
        for (std::size_t i = 0; i < last_.size; ++i) sum(kept, drawn, i, i, i + 1);
        for (std::size_t i = 0; i < last_.size; ++i)
            for (std::size_t j = i + 1; j <= last_.size; ++j) box(j, i);
    }

  private:
    // What the comparison of one box depends on, whatever was drawn.
    struct Held {
        double b, noise, n, rest, noise_rest, n_rest;
        double rate_penalty, phi_penalty;
        bool has_rest;
    };

    bool normal() const { return rate_ < 0; }
    bool many() const { return last_.categorical && last_.size > kAllSubsets; }

    void sum(const double* kept, const float* drawn, std::size_t at, std::size_t from, std::size_t to) {
        for (std::size_t i = 0; i < 3; ++i) kept_[3 * to + i] = kept_[3 * from + i] + kept[3 * at + i];
        const float *more = drawn + at * draws_, *before = &drawn_[from * draws_];
        float* out = &drawn_[to * draws_];
        for (std::size_t k = 0; k < draws_; ++k) out[k] = before[k] + more[k];
    }

    double penalty(double n, double rows) const {
        double ratio = n_ / std::max(n, 1e-9);
        if (!equal_) ratio = std::max(ratio, rows_ / std::max(rows, 1.0));
        return weight_ * std::sqrt(2 * (1 + std::log(std::max(ratio, 1.0))));
    }

    Held held(double b, double noise, double rows) const {
        Held h{};
        h.b = b, h.noise = noise, h.n = std::min(b * b / noise, n_);
        h.rest = b_ - b, h.noise_rest = noise_ - noise;
        h.has_rest = h.rest > 1e-9 * b_ && h.noise_rest > 1e-12 * noise_;
        h.n_rest = h.has_rest ? h.rest * h.rest / h.noise_rest : 0;
        h.rate_penalty = penalty(h.n, rows);
        h.phi_penalty = penalty(std::min(h.n, std::max(h.n_rest, 1e-9)), std::min(rows, rows_ - rows));
        return h;
    }

    // How much larger 2 kl(p, q) may be than (p − q)²/(q (1 − q)), for roots of up to `furthest`: it is the mean of
    // 1/(t (1 − t)) for t from q to p, weighted by p − t, which is convex.
    double factor(double n, double furthest) const {
        const auto at = [&](double q, double side) {
            const double spread = q * (1 - q), p = q + side * furthest * std::sqrt(spread / n);
            return p <= 0 || p >= 1 ? 2.0 : std::min(2.0, (2 + spread / (p * (1 - p))) / 3);
        };
        return std::max({1.0, at(lowest_, -1), at(highest_, 1)}) * (1 + 1e-5);
    }

    double root_of_rate(double drift, const Held& h) const {
        if (normal()) return std::abs(drift) / std::sqrt(h.noise);
        return std::sqrt(2 * h.n * kl(std::clamp(rate_ + drift / h.n, 0.0, 1.0), rate_));
    }

    double root_of_phi(double drift, std::size_t k, const Held& h) const {
        const double above = drift - h.b * shift_[k];
        if (normal())
            return std::abs(above) * b_ / (h.b * h.rest) /
                   std::sqrt(h.noise / (h.b * h.b) + h.noise_rest / (h.rest * h.rest));
        const double pooled = rate_ + shift_[k];
        if (!(pooled > 0) || !(pooled < 1)) return 0;
        const double p = std::clamp(pooled + above / h.n, 0.0, 1.0), q = std::clamp(pooled - above / h.n_rest, 0.0, 1.0);
        return std::sqrt(2 * (h.n * kl(p, pooled) + h.n_rest * kl(q, pooled)));
    }

    // The largest so far, a hair less, for the bound.
    void remember(std::size_t k) {
        near_rate_[k] = static_cast<float>(of_rate_[k] - 1e-5);
        near_phi_[k] = static_cast<float>(of_phi_[k] - 1e-5);
    }

    void raise(std::size_t k, double rate, double phi) {
        of_rate_[k] = std::max(of_rate_[k], rate), of_phi_[k] = std::max(of_phi_[k], phi);
        top_ = std::max({top_, of_rate_[k], of_phi_[k] < kNotAsked ? of_phi_[k] : 0.0});
        remember(k);
    }

    // The box whose sums are those at one place less those at another.
    void box(std::size_t to, std::size_t from) {
        double kept[3];
        for (std::size_t i = 0; i < 3; ++i) kept[i] = kept_[3 * to + i] - kept_[3 * from + i];
        if (!(kept[0] > 0) || !(kept[1] > 0)) return;
        const Held h = held(kept[0], kept[1], kept[2]);
        double rate_scale = h.noise, phi_scale = 1e30;
        if (normal()) {
            const double each = h.noise / (h.b * h.b) + h.noise_rest / (h.rest * h.rest);
            if (h.has_rest) phi_scale = each * h.b * h.b * h.rest * h.rest / (b_ * b_);
        } else {
            const double furthest = top_ + std::max(h.rate_penalty, h.phi_penalty), own = factor(h.n, furthest);
            rate_scale = h.n * rate_ * (1 - rate_) / own;
            if (h.has_rest) phi_scale = h.n * h.n_rest / n_ / std::max(own, factor(h.n_rest, furthest));
        }
        const float b = static_cast<float>(h.b), rate_scaled = static_cast<float>(rate_scale * (1 - 1e-5)),
                    phi_scaled = static_cast<float>(phi_scale * (1 - 1e-5)),
                    rate_penalty = static_cast<float>(h.rate_penalty), phi_penalty = static_cast<float>(h.phi_penalty);
        const float *high = &drawn_[to * draws_], *low = &drawn_[from * draws_];
        const float *shift = shift_.data(), *spread = spread_.data(), *near_rate = near_rate_.data(),
                    *near_phi = near_phi_.data();
        float over_rate[kLane], over_phi[kLane];
        for (std::size_t first = 0; first < draws_; first += kLane) {
            for (std::size_t i = 0; i < kLane; ++i) {
                const std::size_t k = first + i;
                const float x = high[k] - low[k], y = x - b * shift[k];
                const float u = near_rate[k] + rate_penalty, v = near_phi[k] + phi_penalty;
                over_rate[i] = x * x - u * std::fabs(u) * rate_scaled;
                over_phi[i] = y * y - v * std::fabs(v) * phi_scaled * spread[k];
            }
            int hits = 0;
            for (std::size_t i = 0; i < kLane; ++i) hits |= (over_rate[i] > 0) | (over_phi[i] > 0);
            if (hits == 0) continue;
            for (std::size_t i = 0; i < kLane; ++i) {
                const std::size_t k = first + i;
                const double x = high[k] - low[k];
                const double rate = over_rate[i] > 0 ? root_of_rate(x, h) - h.rate_penalty : kFloor;
                const double phi = over_phi[i] > 0 && h.has_rest ? root_of_phi(x, k, h) - h.phi_penalty : kFloor;
                if (rate > of_rate_[k] || phi > of_phi_[k]) raise(k, rate, phi);
            }
        }
    }

    // A category of many levels. Among its sets of any size none drifts further than those of the lowest or the highest
    // rates; between two neighbours of these the statistic is at most the larger root less the smaller penalty.
    void ordered(const double* kept, const float* drawn) {
        std::vector<std::size_t> order;
        for (std::size_t i = 0; i < last_.size; ++i)
            if (kept[3 * i] > 0) order.push_back(i);
        for (std::size_t k = 0; k < draws_; ++k) {
            const auto rate = [&](std::size_t i) { return drawn[i * draws_ + k] / kept[3 * i]; };
            std::stable_sort(order.begin(), order.end(), [&](std::size_t i, std::size_t j) { return rate(i) < rate(j); });
            for (int end = 0; end < 2; ++end) {
                double sums[3] = {0, 0, 0}, drift = 0, before[4] = {0, 0, 1e9, 1e9}, best[2] = {kFloor, kFloor};
                for (std::size_t at = 0; at < order.size(); ++at) {
                    const std::size_t i = order[end == 0 ? at : order.size() - 1 - at];
                    for (std::size_t q = 0; q < 3; ++q) sums[q] += kept[3 * i + q];
                    drift += drawn[i * draws_ + k];
                    const Held h = held(sums[0], sums[1], sums[2]);
                    const double now[4] = {root_of_rate(drift, h), h.has_rest ? root_of_phi(drift, k, h) : 0,
                                           h.rate_penalty, h.phi_penalty};
                    for (std::size_t q = 0; q < 2; ++q) {
                        best[q] = std::max(best[q], std::max(now[q], before[q]) - std::min(now[q + 2], before[q + 2]));
                        before[q] = now[q], before[q + 2] = now[q + 2];
                    }
                }
                raise(k, best[0], best[1]);
            }
        }
    }

    const std::size_t draws_;
    const double rate_, weight_;
    const bool equal_;
    const Axis last_;
    double *of_rate_, *of_phi_;
    std::vector<float> shift_, spread_, near_rate_, near_phi_;  // by draw: pooled rate less the true one, its variance
    double b_ = 0, noise_ = 0, rows_ = 0, n_ = 0, lowest_ = 0, highest_ = 0, top_ = 0;
    std::vector<double> kept_;
    std::vector<float> drawn_;
};

}  // namespace

void box_maxima(const BoxDraws& cells, const std::vector<Axis>& axes, double* rate_maxima, double* phi_maxima) {
    Maxima maxima(cells, axes, rate_maxima, phi_maxima);
    EveryBox<3, Maxima>(axes, cells.draws, maxima).run({cells.sums, cells.drift, cells.draws});
}

}  // namespace fairgroups
