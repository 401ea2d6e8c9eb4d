// The largest multiscale statistics over all intervals of simulated data: what the band is calibrated on.
//
// For an interval of n of N rows: √(2 n kl(rate seen, true rate)) - √(2 log(eN/n)), and the same for the likelihood
// ratio of the interval against its complement, penalised by the smaller of the two. See evidence/band.py.
#include "kernels.hpp"

#include <algorithm>
#include <cmath>

namespace fairgroups {
namespace {

constexpr double kFloor = -2;  // below any statistic: the penalties are at least √2 and √(2 log 2e)

double penalty(double n, double total) { return std::sqrt(2 * (1 + std::log(total / n))); }

double root_rate(double s, double n, double rate) { return std::sqrt(2 * n * kl(s / n, rate)); }

double root_phi(double s, double n, double s_all, double total) {
    const double pooled = s_all / total, rest = total - n;
    return std::sqrt(2 * (n * kl(s / n, pooled) + rest * kl((s_all - s) / rest, pooled)));
}

// kl(p, q) = (p - q)²/(2 ξ (1 - ξ)) for some ξ between p and q, and is at most (p - q)²/(q (1 - q)): so twice it is
// at most this factor times (p - q)²/(q (1 - q)).
double factor(double p, double spread_q) {
    const double spread_p = p * (1 - p);
    return spread_p >= spread_q ? 1.0 : 2 * spread_p <= spread_q ? 2.0 : spread_q / spread_p;
}

template <class Number>
void extremes(const Number* prefix, std::size_t n_rows, std::size_t length, Number& low, Number& high) {
    Number smallest = prefix[length] - prefix[0], largest = smallest;
    for (std::size_t i = 1; i + length <= n_rows; ++i) {
        const Number s = prefix[i + length] - prefix[i];
        smallest = s < smallest ? s : smallest;
        largest = s > largest ? s : largest;
    }
    low = smallest, high = largest;
}

}  // namespace

void cell_maxima(const double* prefix, const double* sizes, std::size_t n_cells, std::size_t n_draws, double rate,
                 double weight, double* rate_maxima, double* phi_maxima) {
    constexpr std::size_t lane = 8;
    const double total = sizes[n_cells];
    std::fill(rate_maxima, rate_maxima + n_draws, kFloor);
    std::fill(phi_maxima, phi_maxima + n_draws, kFloor);
    std::vector<double> pooled(n_draws), spread(n_draws);
    for (std::size_t d = 0; d < n_draws; ++d) {
        pooled[d] = prefix[n_cells * n_draws + d] / total;
        spread[d] = pooled[d] * (1 - pooled[d]);
    }
    const double rate_spread = rate * (1 - rate);
    for (std::size_t i = 0; i < n_cells; ++i) {
        end_if_asked();
        for (std::size_t j = i + 1; j <= n_cells; ++j) {
            const double n = sizes[j] - sizes[i], rest = total - n;
            const double rate_pen = weight * penalty(n, total);
            const double phi_pen = weight * penalty(std::min(n, std::max(rest, 1e-9)), total);
            // Two cheap bounds rule most draws out before any logarithm: first with the largest factor, then with its own.
            const double rate_scale = n * rate_spread / 2, phi_scale = n * rest / total / 2;
            const double *at_i = prefix + i * n_draws, *at_j = prefix + j * n_draws;
            for (std::size_t from = 0; from < n_draws; from += lane) {
                const std::size_t to = std::min(from + lane, n_draws);
                int hits = 0;
                for (std::size_t d = from; d < to; ++d) {
                    const double s = at_j[d] - at_i[d];
                    const double x = s - n * rate, y = s - n * pooled[d];
                    const double u = std::max(0.0, rate_maxima[d] + rate_pen);
                    const double v = std::max(0.0, phi_maxima[d] + phi_pen);
                    hits += (x * x > u * u * rate_scale) | (y * y > v * v * phi_scale * spread[d]);
                }
                if (hits == 0) continue;
                for (std::size_t d = from; d < to; ++d) {
                    const double s = at_j[d] - at_i[d], x = s - n * rate, y = s - n * pooled[d];
                    const double u = std::max(0.0, rate_maxima[d] + rate_pen);
                    if (x * x * factor(s / n, rate_spread) > u * u * n * rate_spread)
                        rate_maxima[d] = std::max(rate_maxima[d], root_rate(s, n, rate) - rate_pen);
                    if (rest <= 0 || spread[d] <= 0) continue;
                    const double s_all = pooled[d] * total, v = std::max(0.0, phi_maxima[d] + phi_pen);
                    const double factors =
                        factor(s / n, spread[d]) / n + factor((s_all - s) / rest, spread[d]) / rest;
                    if (y * y * factors > v * v * spread[d])
                        phi_maxima[d] = std::max(phi_maxima[d], root_phi(s, n, s_all, total) - phi_pen);
                }
            }
        }
    }
}

void window_maxima(const std::int32_t* prefix, std::size_t n_rows, const std::int64_t* lengths,
                   std::size_t n_lengths, double rate, double* rate_maximum, double* phi_maximum) {
    const double total = static_cast<double>(n_rows), s_all = prefix[n_rows];
    double best_rate = kFloor, best_phi = kFloor;
    for (std::size_t l = 0; l < n_lengths; ++l) {
        const std::size_t length = lengths[l];
        std::int32_t ends[2];
        extremes(prefix, n_rows, length, ends[0], ends[1]);
        const double n = static_cast<double>(length), rest = total - n;
        for (const double s : ends) {
            best_rate = std::max(best_rate, root_rate(s, n, rate) - penalty(n, total));
            if (rest > 0 && s_all > 0 && s_all < total)
                best_phi = std::max(best_phi, root_phi(s, n, s_all, total) - penalty(std::min(n, rest), total));
        }
    }
    *rate_maximum = best_rate;
    *phi_maximum = best_phi;
}

void gaussian_window_maxima(const double* prefix, std::size_t n_rows, const std::int64_t* lengths,
                            std::size_t n_lengths, double* rate_maximum, double* phi_maximum) {
    const double total = static_cast<double>(n_rows), mean = prefix[n_rows] / total;
    double best_rate = kFloor, best_phi = kFloor;
    for (std::size_t l = 0; l < n_lengths; ++l) {
        const std::size_t length = lengths[l];
        double ends[2];
        extremes(prefix, n_rows, length, ends[0], ends[1]);
        const double n = static_cast<double>(length), rest = total - n;
        for (const double s : ends) {
            best_rate = std::max(best_rate, std::abs(s) / std::sqrt(n) - penalty(n, total));
            if (rest > 0)
                best_phi = std::max(best_phi, std::abs(s - n * mean) / std::sqrt(n * rest / total) -
                                                  penalty(std::min(n, rest), total));
        }
    }
    *rate_maximum = best_rate;
    *phi_maximum = best_phi;
}

}  // namespace fairgroups
