// Exact tilings of a grid by boxes, each cut in two from side to side until there are k.
//
// best_k(box) = the largest, over axes, cuts and k₁ + k₂ = k, of best_k₁(one part) + best_k₂(other part). A box that
// is to hold k of n groups has at most n - k sides that are cuts, so for large k few boxes matter, and a memo serves.
// In the plane, numbers of groups whose boxes may have more than two cut sides are worked out for all boxes at once:
// stored as [interval of axis 0][interval of axis 1], a cut is one vectorised max-plus over many intervals.
#include "boxes.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <memory>
#include <thread>
#include <unordered_map>

namespace fairgroups {
namespace {

struct BoxHash {
    std::size_t operator()(const Box& box) const {
        std::uint64_t h = 0;
        for (const Side& s : box) {
            if (s.low == 0 && s.high == 0) break;  // no further axes
            h = (h ^ s.low) * 0x9E3779B97F4A7C15ull;
            h = (h ^ (h >> 29) ^ s.high) * 0xBF58476D1CE4E5B9ull;
        }
        return h ^ (h >> 32);
    }
};

#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__) && defined(__linux__)
#define FAIRGROUPS_WIDE __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define FAIRGROUPS_WIDE
#endif

FAIRGROUPS_WIDE void raise_sum(double* out, const double* x, const double* y, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) {
        const double s = x[i] + y[i];
        out[i] = s > out[i] ? s : out[i];
    }
}

FAIRGROUPS_WIDE void raise_shifted(double* out, double x, const double* y, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) {
        const double s = x + y[i];
        out[i] = s > out[i] ? s : out[i];
    }
}

// Gains of the stretches that begin at the first border and end at each later one.
FAIRGROUPS_WIDE void gains_from(double* out, const double* a, const double* b, const double* rows, std::size_t n,
                                double least_rows, double least_b) {
    for (std::size_t i = 0; i < n; ++i) {
        const double s = a[i + 1] - a[0], d = b[i + 1] - b[0];
        const double gain = s * s / d;
        out[i] = (d >= least_b) & (rows[i + 1] - rows[0] >= least_rows) ? gain : kNever;
    }
}

// best_k of every box of the plane, for k up to some number.
class Plane {
   public:
    Plane(const Grid& grid, std::size_t most, const Tick& tick)
        : m0_(grid.axis(0).size), m1_(grid.axis(1).size), n0_(m0_ * (m0_ + 1) / 2), n1_(m1_ * (m1_ + 1) / 2) {
        for (std::size_t k = 1; k <= most; ++k) levels_.emplace_back(new double[n0_ * n1_]);  // filled by all cores
        double work = 0, done = 0;
        for (std::size_t k = 1; k <= most; ++k) work += static_cast<double>(k);
        for (std::size_t k = 1; k <= most; ++k) {
            for_all([&](std::size_t s, std::size_t e) { k == 1 ? fill_one(grid, s, e) : fill(k, s, e); },
                    [&](double share) { tick((done + share * static_cast<double>(k)) / work); });
            done += static_cast<double>(k);
        }
    }

    std::size_t most() const { return levels_.size(); }
    double at(std::size_t k, const Box& box) const {
        return levels_[k - 1][interval(box[0].low, box[0].high, m0_) * n1_ + interval(box[1].low, box[1].high, m1_)];
    }

    // Gains of the boxes [s, e) × [t, u) for u = t + 1, t + 2, …
    const double* gains(std::size_t s, std::size_t e, std::size_t t) const {
        return &levels_[0][interval(s, e, m0_) * n1_ + interval(t, t + 1, m1_)];
    }

   private:
    // Intervals [s, e) by s, then e: for one s they lie side by side.
    static std::size_t interval(std::size_t s, std::size_t e, std::size_t m) {
        return s * m - s * (s - 1) / 2 + (e - s - 1);
    }
    double* row(std::size_t k, std::size_t s, std::size_t e) { return &levels_[k - 1][interval(s, e, m0_) * n1_]; }

    void fill_one(const Grid& grid, std::size_t s, std::size_t e) {
        // Sums of the strip [s, e) below each border of axis 1, one array a number.
        std::vector<double> a(m1_ + 1), b(m1_ + 1), rows(m1_ + 1);
        Box box = grid.whole();
        box[0] = {s, static_cast<std::uint32_t>(e)};
        for (std::size_t u = 1; u <= m1_; ++u) {
            box[1] = {0, static_cast<std::uint32_t>(u)};
            const Sums sums = grid.sums(box);
            a[u] = sums.a, b[u] = sums.b, rows[u] = sums.rows;
        }
        double* out = row(1, s, e);
        for (std::size_t t = 0; t < m1_; out += m1_ - t, ++t)
            gains_from(out, &a[t], &b[t], &rows[t], m1_ - t, grid.least_rows(), grid.least_b());
    }

    void fill(std::size_t k, std::size_t s, std::size_t e) {
        double* out = row(k, s, e);
        std::fill(out, out + n1_, kNever);
        for (std::size_t k1 = 1; k1 < k; ++k1) {
            for (std::size_t c = s + 1; c < e; ++c) raise_sum(out, row(k1, s, c), row(k - k1, c, e), n1_);
            const double *left = row(k1, s, e), *right = row(k - k1, s, e);
            for (std::size_t t = 0; t < m1_; ++t)
                for (std::size_t c = t + 1; c < m1_; ++c)
                    raise_shifted(out + interval(t, c + 1, m1_), left[interval(t, c, m1_)],
                                  right + interval(c, c + 1, m1_), m1_ - c);
        }
    }

    // Every interval of axis 0, shared out over the cores; the calling thread reports.
    template <class Work, class Report>
    void for_all(const Work& work, const Report& report) {
        std::atomic<std::size_t> next{0};
        std::atomic<bool> stop{false};
        std::vector<std::pair<std::size_t, std::size_t>> todo;
        for (std::size_t s = 0; s < m0_; ++s)
            for (std::size_t e = s + 1; e <= m0_; ++e) todo.emplace_back(s, e);
        auto run = [&](bool reports) {
            auto last = std::chrono::steady_clock::now();
            for (std::size_t i; !stop && (i = next++) < todo.size();) {
                work(todo[i].first, todo[i].second);
                if (!reports || std::chrono::steady_clock::now() - last < std::chrono::milliseconds(50)) continue;
                last = std::chrono::steady_clock::now();
                report(static_cast<double>(i) / static_cast<double>(todo.size()));
            }
        };
        std::vector<std::thread> others;
        for (unsigned t = 1; t < std::max(1u, std::thread::hardware_concurrency()); ++t) others.emplace_back(run, false);
        try {
            run(true);
        } catch (...) {
            stop = true;
            for (std::thread& t : others) t.join();
            throw;
        }
        for (std::thread& t : others) t.join();
    }

    std::size_t m0_, m1_, n0_, n1_;
    std::vector<std::unique_ptr<double[]>> levels_;
};

class Solver {
   public:
    Solver(const Grid& grid, std::size_t n_groups, const Tick& tick) : grid_(grid), tick_(tick), memo_(n_groups + 1) {
        const bool plane = grid.n_axes() == 2 && !grid.axis(0).categorical && !grid.axis(1).categorical;
        // Boxes of k groups have at most n_groups - k cut sides; with three or four, nearly all boxes of the plane.
        if (plane && n_groups >= 5) plane_ = std::make_unique<Plane>(grid, n_groups - 3, tick);
    }

    const Plane* plane() const { return plane_.get(); }

    double best(const Box& box, std::size_t k) {
        if (k == 1) return grid_.gain(box);
        if (plane_ && k <= plane_->most()) return plane_->at(k, box);
        if (k == 2) return best_two(box);
        const auto known = memo_[k].find(box);
        if (known != memo_[k].end()) return known->second;
        report();
        double best = kNever;
        for_each_cut(grid_, box, [&](const Box& left, const Box& right) {
            for (std::size_t k1 = 1; k1 < k; ++k1) {
                const double one = this->best(left, k1);
                if (one != kNever) best = std::max(best, one + this->best(right, k - k1));
            }
        });
        memo_[k].emplace(box, best);
        return best;
    }

    // The boxes of best_k, the first cut that reaches it: lowest axis, then lowest border, then fewest groups before.
    void trace(const Box& box, std::size_t k, std::vector<Box>& out) {
        if (k == 1) {
            out.push_back(box);
            return;
        }
        const double total = best(box, k), goal = total - kTie * std::abs(total);
        bool found = false;
        Box left_found, right_found;
        std::size_t k1_found = 0;
        for_each_cut(grid_, box, [&](const Box& left, const Box& right) {
            for (std::size_t k1 = 1; !found && k1 < k; ++k1)
                if (best(left, k1) + best(right, k - k1) >= goal)
                    found = true, left_found = left, right_found = right, k1_found = k1;
        });
        trace(left_found, k1_found, out);
        trace(right_found, k - k1_found, out);
    }

   private:
    // Two groups: sums below each cut, without looking at the parts one by one.
    double best_two(const Box& box) {
        const auto known = memo_[2].find(box);
        if (known != memo_[2].end()) return known->second;
        report();
        const Sums all = grid_.sums(box);
        double best = kNever;
        for (std::size_t d = 0; d < grid_.n_axes(); ++d) {
            if (grid_.axis(d).categorical) {
                Box left = box;
                for (const std::uint64_t part : grid_.parts(box, d)) {
                    left[d].low = part;
                    const Sums s = grid_.sums(left);
                    best = std::max(best, grid_.gain(s) + grid_.gain(all - s));
                }
                continue;
            }
            grid_.below(box, d, scratch_);
            for (const Sums& s : scratch_) best = std::max(best, grid_.gain(s) + grid_.gain(all - s));
        }
        memo_[2].emplace(box, best);
        return best;
    }

    void report() {
        if (++steps_ % 4096 == 0) tick_(-1);
    }

    const Grid& grid_;
    const Tick& tick_;
    std::unique_ptr<Plane> plane_;
    std::vector<std::unordered_map<Box, double, BoxHash>> memo_;
    std::vector<Sums> scratch_;
    std::size_t steps_ = 0;
};

FAIRGROUPS_WIDE double largest_sum(const double* x, const double* y, std::size_t n) {
    constexpr std::size_t lanes = 8;
    double best[lanes];
    std::fill(best, best + lanes, kNever);
    std::size_t i = 0;
    for (; i + lanes <= n; i += lanes)
        for (std::size_t l = 0; l < lanes; ++l) {
            const double s = x[i + l] + y[i + l];
            best[l] = s > best[l] ? s : best[l];
        }
    double out = kNever;
    for (; i < n; ++i) out = std::max(out, x[i] + y[i]);
    for (const double b : best) out = std::max(out, b);
    return out;
}

// Four arms around a middle, turning one way or the other: the tilings by five rectangles that no cuts make.
class Pinwheels {
   public:
    Pinwheels(const Grid& grid, const Plane& plane)
        : grid_(grid),
          plane_(plane),
          m0_(static_cast<std::uint32_t>(grid.axis(0).size)),
          m1_(static_cast<std::uint32_t>(grid.axis(1).size)) {}

    void improve(Tiling& best, const Tick& tick) {
        for (const bool mirrored : {false, true}) {
            fill_arms(mirrored);
            for (std::uint32_t x1 = 1; x1 < m0_; ++x1) {
                tick(-1);
                for (std::uint32_t x2 = x1 + 1; x2 < m0_; ++x2) turn(mirrored, x1, x2, best);
            }
        }
    }

   private:
    static Box box(std::uint32_t s, std::uint32_t e, std::uint32_t t, std::uint32_t u) {
        Box out{};
        out[0] = {s, e}, out[1] = {t, u};
        return out;
    }

    // Of the four borders x1, x2, y1, y2 the first two arms know y1, the other two y2.
    std::array<Box, 4> arms(bool mirrored, std::uint32_t x1, std::uint32_t x2, std::uint32_t y1, std::uint32_t y2) const {
        if (mirrored) return {box(x1, m0_, 0, y1), box(x2, m0_, y1, m1_), box(0, x1, 0, y2), box(0, x2, y2, m1_)};
        return {box(0, x1, y1, m1_), box(0, x2, 0, y1), box(x1, m0_, y2, m1_), box(x2, m0_, 0, y2)};
    }

    double& arm(std::size_t i, std::uint32_t x, std::uint32_t y) { return arms_[i][x * (m1_ + 1) + y]; }

    void fill_arms(bool mirrored) {
        for (auto& table : arms_) table.assign((m0_ + 1) * (m1_ + 1), kNever);
        for (std::uint32_t x = 1; x < m0_; ++x)
            for (std::uint32_t y = 1; y < m1_; ++y) {
                const auto four = arms(mirrored, x, x, y, y);
                for (std::size_t i = 0; i < 4; ++i) arm(i, x, y) = grid_.gain(four[i]);
            }
    }

    // Both x borders fixed: all y1 and, at once, all y2.
    void turn(bool mirrored, std::uint32_t x1, std::uint32_t x2, Tiling& best) {
        upper_.assign(m1_ + 1, kNever);
        for (std::uint32_t y2 = 1; y2 < m1_; ++y2) upper_[y2] = arm(2, x1, y2) + arm(3, x2, y2);
        for (std::uint32_t y1 = 1; y1 + 1 < m1_; ++y1) {
            const double lower = arm(0, x1, y1) + arm(1, x2, y1);
            const double* middle = plane_.gains(x1, x2, y1);  // of y2 = y1 + 1, y1 + 2, …
            const std::size_t n = m1_ - y1 - 1;
            const double total = lower + largest_sum(&upper_[y1 + 1], middle, n);
            if (!(total > best.total + kTie * std::abs(total))) continue;
            for (std::uint32_t y2 = y1 + 1; y2 < m1_; ++y2) {
                if (lower + (upper_[y2] + middle[y2 - y1 - 1]) < total) continue;
                const auto four = arms(mirrored, x1, x2, y1, y2);
                best.total = total;
                best.boxes.assign(four.begin(), four.end());
                best.boxes.push_back(box(x1, x2, y1, y2));
                break;
            }
        }
    }

    const Grid& grid_;
    const Plane& plane_;
    std::uint32_t m0_, m1_;
    std::vector<double> arms_[4], upper_;
};

}  // namespace

std::vector<Tiling> best_boxes(const Grid& grid, std::size_t n_groups, const Tick& tick) {
    Solver solver(grid, n_groups, tick);
    std::vector<Tiling> out;
    for (std::size_t k = 1; k <= n_groups; ++k) {
        Tiling tiling;
        tiling.total = solver.best(grid.whole(), k);
        if (tiling.total != kNever) solver.trace(grid.whole(), k, tiling.boxes);
        if (k == 5 && solver.plane()) Pinwheels(grid, *solver.plane()).improve(tiling, tick);
        out.push_back(std::move(tiling));
    }
    return out;
}

}  // namespace fairgroups
