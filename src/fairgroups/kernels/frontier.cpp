// Groups for measures that do not add up, by successive cuts, on the line and in several dimensions.
//
// Each group adds f to one sum and g to another, and Σf - (Σg)² is maximised. For a box and a number of groups the
// candidates are kept as a list over Σg: each entry stands for all candidates with Σg between low and high, and holds
// the largest Σf among them. While the list is short every candidate has its own entry and nothing is lost; beyond,
// neighbours share one. So max over entries of f - min g² is never below the optimum, and the groups behind the best
// entry are real ones: the two together say how much may have been missed.
#include "boxes.hpp"

#include <algorithm>
#include <cmath>
#include <unordered_map>

namespace fairgroups {
namespace {

struct Entry {
    double low, high, g, f;  // Σg of all candidates is in [low, high]; g and f belong to the one kept
    Box left, right;         // its cut; unused for a single group
    std::uint32_t k_left, at_left, at_right;
};

using List = std::vector<Entry>;

struct Key {
    Box box;
    std::size_t k;
    bool operator==(const Key& o) const { return k == o.k && box == o.box; }
};

struct Hash {
    std::size_t operator()(const Key& key) const {
        std::size_t h = key.k;
        for (const Side& side : key.box) h = (h ^ side.low ^ (std::size_t{side.high} << 32)) * 0x9E3779B97F4A7C15ull;
        return h ^ (h >> 29);
    }
};

class Search {
   public:
    Search(const std::vector<Grid>& grids, bool against_rest, std::size_t width, const Tick& tick)
        : grids_(grids), against_rest_(against_rest), width_(width), tick_(tick) {
        for (const Grid& grid : grids) totals_.push_back(grid.sums(grid.whole()).b);
    }

    Frontier best(std::size_t k) {
        const List& list = of({grids_[0].whole(), k});
        Frontier out;
        const Entry* best = nullptr;
        for (const Entry& e : list) {
            const double least = e.low > 0 ? e.low : e.high < 0 ? e.high : 0;
            out.bound = std::max(out.bound, e.f - least * least);
            if (e.f - e.g * e.g > out.total) out.total = e.f - e.g * e.g, best = &e;
        }
        if (best) collect({grids_[0].whole(), k}, *best, out.boxes);
        return out;
    }

   private:
    bool group(const Box& box, Entry& out) const {
        double f = 0, g = 0;
        for (std::size_t m = 0; m < grids_.size(); ++m) {
            const Sums s = grids_[m].sums(box);
            const double gain = grids_[m].gain(s);
            if (gain == kNever) return false;
            if (against_rest_) {
                const double rest = 1 - s.b / totals_[m];
                if (rest <= kTie) continue;  // everybody: there is no rest
                g += s.a / totals_[m] / rest;
                f += gain / totals_[m] / (rest * rest);
            } else {
                f += gain / totals_[m];
            }
        }
        out = {g, g, g, f, {}, {}, 0, 0, 0};
        return true;
    }

    const List& of(const Key& key) {
        const auto known = memo_.find(key);
        if (known != memo_.end()) return known->second;
        if (++steps_ % 256 == 0) tick_(-1);
        List list;
        if (key.k == 1) {
            Entry one;
            if (group(key.box, one)) list.push_back(one);
        } else {
            // Children first: the memo may grow while they are worked out.
            const bool line = grids_[0].n_axes() == 1;
            std::size_t count = 0;
            double low = HUGE_VAL, high = -HUGE_VAL;
            for_each_cut(grids_[0], key.box, [&](const Box& left, const Box& right) {
                for (std::size_t k = 1; k < (line ? 2 : key.k); ++k) {
                    const List& l = of({left, k});
                    if (l.empty()) continue;
                    const List& r = of({right, key.k - k});
                    if (r.empty()) continue;
                    count += l.size() * r.size();
                    low = std::min(low, l.front().g + r.front().g);
                    high = std::max(high, l.back().g + r.back().g);
                }
            });
            merge(key, line, count, low, high, list);
        }
        return memo_.emplace(key, std::move(list)).first->second;
    }

    void merge(const Key& key, bool line, std::size_t count, double low, double high, List& list) {
        const bool exact = against_rest_ && count <= width_;
        const std::size_t bins = against_rest_ ? width_ : 1;
        std::vector<Entry> bin(exact ? 0 : bins);
        std::vector<char> used(bin.size(), 0);
        const double scale = high > low ? (static_cast<double>(bins) - 1) / (high - low) : 0;
        for_each_cut(grids_[0], key.box, [&](const Box& left, const Box& right) {
            for (std::size_t k = 1; k < (line ? 2 : key.k); ++k) {
                const List &l = of({left, k}), &r = of({right, key.k - k});
                for (std::uint32_t i = 0; i < l.size(); ++i)
                    for (std::uint32_t j = 0; j < r.size(); ++j) {
                        const Entry &x = l[i], &y = r[j];
                        const double g = x.g + y.g, f = x.f + y.f;
                        if (exact) {
                            list.push_back({x.low + y.low, x.high + y.high, g, f, left, right,
                                            static_cast<std::uint32_t>(k), i, j});
                            continue;
                        }
                        const auto at = std::min(bins - 1, static_cast<std::size_t>(std::max(0.0, (g - low) * scale)));
                        Entry& e = bin[at];
                        if (!used[at]) {
                            used[at] = 1;
                            e = {x.low + y.low, x.high + y.high, g, f, left, right, static_cast<std::uint32_t>(k), i, j};
                            continue;
                        }
                        e.low = std::min(e.low, x.low + y.low);
                        e.high = std::max(e.high, x.high + y.high);
                        if (f > e.f)
                            e.g = g, e.f = f, e.left = left, e.right = right,
                            e.k_left = static_cast<std::uint32_t>(k), e.at_left = i, e.at_right = j;
                    }
            }
        });
        for (std::size_t i = 0; i < bin.size(); ++i)
            if (used[i]) list.push_back(bin[i]);
        std::stable_sort(list.begin(), list.end(), [](const Entry& x, const Entry& y) { return x.g < y.g; });
    }

    void collect(const Key& key, const Entry& entry, std::vector<Box>& out) {
        if (key.k == 1) {
            out.push_back(key.box);
            return;
        }
        const Key left{entry.left, entry.k_left}, right{entry.right, key.k - entry.k_left};
        const Entry l = of(left)[entry.at_left], r = of(right)[entry.at_right];
        collect(left, l, out);
        collect(right, r, out);
    }

    const std::vector<Grid>& grids_;
    const bool against_rest_;
    const std::size_t width_;
    const Tick& tick_;
    std::vector<double> totals_;
    std::size_t steps_ = 0;
    std::unordered_map<Key, List, Hash> memo_;
};

}  // namespace

std::vector<Frontier> best_frontiers(const std::vector<Grid>& grids, std::size_t n_groups, bool against_rest,
                                     std::size_t width, const Tick& tick) {
    Search search(grids, against_rest, width, tick);
    std::vector<Frontier> out;
    for (std::size_t k = 1; k <= n_groups; ++k) {
        out.push_back(search.best(k));
        tick(static_cast<double>(k) / static_cast<double>(n_groups));
    }
    return out;
}

}  // namespace fairgroups
