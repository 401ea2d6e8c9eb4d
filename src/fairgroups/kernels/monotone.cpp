// Exact segmentation under strictly increasing group means and a minimum size.
//
// Without a minimum size the borders of the isotonic regression suffice and no search like this is needed
// (search/monotone.py). With one, the state of the dynamic programme is the mean of the last group: at each border
// keep the pairs (last mean, total) of which none has both a smaller mean and a larger total than another. A state
// is dropped when even the best continuation without the constraint stays below a total already reached.
#include "kernels.hpp"

#include <algorithm>
#include <cmath>

namespace fairgroups {
namespace {

struct State {
    double mean, total;
    std::int32_t from, parent;  // the border before, and which of its states
};
using Frontier = std::vector<State>;  // means and totals both strictly increase

class Increasing {
   public:
    Increasing(const Prefix& p, Limits limits, std::size_t n_groups, Watch& watch)
        : p_(p), limits_(limits), ahead_(segment_totals(p.reversed(), n_groups, limits, true, watch)) {
        double low = std::numeric_limits<double>::infinity(), high = -low;
        for (std::size_t j = 1; j <= p.size(); ++j) {
            low = std::min(low, p.mean(j - 1, j)), high = std::max(high, p.mean(j - 1, j));
        }
        same_ = kTie * (high - low);
    }

    bool is_increasing(const std::vector<std::int64_t>& borders) const {
        double last = kNever;
        std::size_t from = 0;
        for (std::size_t k = 0; k <= borders.size(); ++k) {
            const std::size_t to = k < borders.size() ? borders[k] : p_.size();
            const double mean = p_.mean(from, to);
            if (!(mean > last + same_)) return false;
            last = mean, from = to;
        }
        return true;
    }

    double total(const std::vector<std::int64_t>& borders) const {
        double sum = 0;
        std::size_t from = 0;
        for (const std::int64_t to : borders) sum += p_.gain(from, to), from = to;
        return sum + p_.gain(from, p_.size());
    }

    // The borders of the best n_groups increasing groups whose total is at least `known`; false when none exists.
    bool solve(std::size_t n_groups, double known, std::vector<std::int64_t>& borders) const {
        const std::size_t n = p_.size();
        const double goal = known == kNever ? kNever : known - kTie * std::abs(known);
        std::vector<std::vector<Frontier>> levels(n_groups, std::vector<Frontier>(n + 1));
        for (std::size_t k = 1; k <= n_groups; ++k) {
            const std::size_t left = n_groups - k;  // groups still to come
            for (std::size_t j = left == 0 ? n : k; j <= n - left; ++j) {
                const double rest = left == 0 ? 0.0 : ahead_[left - 1][n - j];
                if (rest == kNever || (left == 0 && j != n)) continue;
                Frontier found;
                if (k == 1) {
                    const double gain = p_.gain(0, j);
                    if (limits_.allow(p_, 0, j) && gain + rest >= goal)
                        found.push_back({p_.mean(0, j), gain, 0, -1});
                } else {
                    extend(levels[k - 2], j, goal - rest, found);
                }
                levels[k - 1][j] = std::move(found);
            }
        }
        const Frontier& last = levels[n_groups - 1][n];
        if (last.empty()) return false;
        State state = last.back();
        borders.assign(n_groups - 1, 0);
        for (std::size_t k = n_groups - 1; k > 0; --k) {
            borders[k - 1] = state.from;
            state = levels[k - 1][state.from][state.parent];
        }
        return true;
    }

   private:
    void extend(const std::vector<Frontier>& before, std::size_t j, double goal, Frontier& found) const {
        for (std::size_t i = 1; i < j && limits_.allow(p_, i, j); ++i) {
            const Frontier& states = before[i];
            if (states.empty()) continue;
            const double gain = p_.gain(i, j);
            if (states.back().total + gain < goal) continue;
            const double mean = p_.mean(i, j);
            auto it = std::partition_point(states.begin(), states.end(),
                                           [&](const State& s) { return s.mean + same_ < mean; });
            if (it == states.begin()) continue;
            --it;
            if (it->total + gain < goal) continue;
            found.push_back({mean, it->total + gain, static_cast<std::int32_t>(i),
                             static_cast<std::int32_t>(it - states.begin())});
        }
        // The stable sort and the slack keep the leftmost border of a tie.
        std::stable_sort(found.begin(), found.end(), [](const State& x, const State& y) { return x.mean < y.mean; });
        std::size_t kept = 0;
        for (const State& s : found)
            if (kept == 0 || s.total > found[kept - 1].total + kTie * std::abs(s.total)) found[kept++] = s;
        found.resize(kept);
    }

    const Prefix& p_;
    Limits limits_;
    std::vector<std::vector<double>> ahead_;  // best totals of the cells to the right, constraint left out
    double same_;
};

// About `n_coarse` of all borders, evenly spaced in b: a first solution on them prunes the exact search.
std::vector<std::int64_t> coarse_borders(const Prefix& p, std::size_t n_coarse) {
    std::vector<std::int64_t> borders{0};
    const double step = p.b.back() / static_cast<double>(n_coarse);
    for (std::size_t i = 1; i < p.size(); ++i)
        if (p.b[i] - p.b[borders.back()] >= step) borders.push_back(static_cast<std::int64_t>(i));
    borders.push_back(static_cast<std::int64_t>(p.size()));
    return borders;
}

}  // namespace

std::vector<std::int64_t> isotonic_blocks(const double* a, const double* b, std::size_t n) {
    struct Block {
        std::int64_t start;
        double a, b;
    };
    std::vector<Block> blocks;
    for (std::size_t i = 0; i < n; ++i) {
        Block last{static_cast<std::int64_t>(i), a[i], b[i]};
        while (!blocks.empty() && blocks.back().a * last.b >= last.a * blocks.back().b) {
            last = {blocks.back().start, blocks.back().a + last.a, blocks.back().b + last.b};
            blocks.pop_back();
        }
        blocks.push_back(last);
    }
    std::vector<std::int64_t> starts;
    for (const Block& block : blocks) starts.push_back(block.start);
    return starts;
}

Path best_increasing(const double* a, const double* b, const double* rows, std::size_t n, std::size_t n_groups,
                     Limits limits, Watch& watch) {
    constexpr std::size_t n_coarse = 128;
    const Prefix p(a, b, rows, n, false);
    const Increasing exact(p, limits, n_groups, watch);
    const Path free = best_segments(a, b, rows, n, n_groups, limits, watch);
    const auto borders = coarse_borders(p, n_coarse);
    const Prefix coarse = p.at(borders);
    const Increasing rough(coarse, limits, n_groups, watch);
    Path path;
    for (std::size_t k = 1; k <= free.size(); ++k) {
        std::vector<std::int64_t> best = free[k - 1];
        if (!exact.is_increasing(best)) {
            double known = kNever;
            std::vector<std::int64_t> guess;
            if (n > n_coarse && rough.solve(k, kNever, guess)) {
                for (std::int64_t& g : guess) g = borders[g];
                known = exact.total(guess);
            }
            if (!exact.solve(k, known, best)) break;
        }
        path.push_back(best);
    }
    return path;
}

}  // namespace fairgroups
