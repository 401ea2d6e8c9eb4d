// Exact segmentation of ordered cells into k consecutive groups, for every k at once.
//
// Maximise the sum of A²/B over groups. With the group's mean μ as a free number the same problem is: minimise the
// sum of B μ² - 2 A μ. For a fixed number of groups keep, as pieces of the μ-axis, which last border is best for
// each μ (functional pruning; Rigaill 2015). The difference of two borders never changes once both exist, so a
// border that has lost a piece has lost it for ever, and the list of pieces stays short.
#include "kernels.hpp"

#include <algorithm>
#include <cmath>
#include <thread>

namespace fairgroups {
namespace {

// Neumaier's compensated running sum.
struct Running {
    double sum = 0, lost = 0;
    void add(double x) {
        const double t = sum + x;
        lost += std::abs(sum) >= std::abs(x) ? (sum - t) + x : (x - t) + sum;
        sum = t;
    }
    double value() const { return sum + lost; }
};

struct Piece {
    double low, high;  // the stretch of the μ-axis where this candidate is best
    double a, b, v;    // prefix sums and total at the candidate border
};

class Envelope {
   public:
    Envelope(double low, double high) : low_(low), high_(high) {}

    // The largest total of groups of which the last ends at (a, b).
    double best(double a, double b) const {
        double best = kNever;
        for (const Piece& old : pieces_) best = std::max(best, total(old, a, b));
        return best;
    }

    // A candidate enters: each older one keeps the part of its piece where it is still at least as good. On the way,
    // and if wanted, the best total at (a, b) of those that were there before.
    template <bool want_best>
    double enter(double a, double b, double v) {
        const Piece entrant{low_, high_, a, b, v};
        double best = kNever;
        next_.clear();
        if (pieces_.empty()) next_.push_back(entrant);
        for (const Piece& old : pieces_) {
            if constexpr (want_best) best = std::max(best, total(old, a, b));
            const double d = b - old.b, e = a - old.a, f = v - old.v;
            // d μ² - 2 e μ + f, by how much the entrant is better at μ, is convex: at most 0 at both ends of the
            // piece means at most 0 all along it.
            const double at_low = (d * old.low - 2 * e) * old.low + f;
            const double at_high = (d * old.high - 2 * e) * old.high + f;
            if (at_low <= 0 && at_high <= 0) {
                push(old, old.low, old.high);
                continue;
            }
            const double square = e * e - d * f;
            const double width = square > 0 ? std::sqrt(square) : 0;
            const double left = at_low > 0 ? std::max(old.low, (e - width) / d) : old.low;
            const double right = at_high > 0 ? std::min(old.high, (e + width) / d) : old.high;
            if (square <= 0 || left >= right) {
                push(entrant, old.low, old.high);
                continue;
            }
            if (left > old.low) push(entrant, old.low, left);
            push(old, left, right);
            if (right < old.high) push(entrant, right, old.high);
        }
        pieces_.swap(next_);
        return best;
    }

    std::size_t size() const { return pieces_.size(); }

   private:
    static double total(const Piece& old, double a, double b) {
        const double s = a - old.a;
        return old.v + s * s / (b - old.b);
    }

    void push(const Piece& piece, double low, double high) {
        if (!next_.empty() && next_.back().b == piece.b) {  // same border: the piece grows
            next_.back().high = high;
            return;
        }
        next_.push_back(piece);
        next_.back().low = low, next_.back().high = high;
    }

    double low_, high_;
    std::vector<Piece> pieces_, next_;
};

// The borders of the best k groups, from right to left: each as far left as a tie allows.
std::vector<std::int64_t> trace(const Prefix& p, const std::vector<std::vector<double>>& totals, std::size_t k,
                                Limits limits) {
    std::vector<std::int64_t> borders(k - 1);
    std::size_t j = p.size();
    const double slack = kTie * std::abs(totals[k - 1][j]);
    double goal = totals[k - 1][j] - slack;
    for (std::size_t level = k - 1; level > 0; --level) {
        const std::vector<double>& before = totals[level - 1];
        std::size_t found = j;
        double best = kNever;
        for (std::size_t i = level; i < j; ++i) {
            if (before[i] == kNever || !limits.allow(p, i, j)) continue;
            const double total = before[i] + p.gain(i, j);
            if (total >= goal) {
                found = i;
                break;
            }
            if (total > best) best = total, found = i;  // only rounding can bring us to use this
        }
        borders[level - 1] = static_cast<std::int64_t>(found);
        goal = before[found] - slack;
        j = found;
    }
    return borders;
}

}  // namespace

Prefix::Prefix(const double* a_in, const double* b_in, const double* rows_in, std::size_t n, bool merge) {
    Running total_a, total_b;
    for (std::size_t i = 0; i < n; ++i) total_a.add(a_in[i]), total_b.add(b_in[i]);
    const double rate = total_a.value() / total_b.value();
    Running run_a, run_b, run_rows;
    a.push_back(0), b.push_back(0), rows.push_back(0), cells.push_back(0);
    for (std::size_t i = 0; i < n;) {
        double step_a = a_in[i], step_b = b_in[i], step_rows = rows_in[i];
        for (++i; merge && i < n && a_in[i] * b_in[i - 1] == a_in[i - 1] * b_in[i]; ++i)
            step_a += a_in[i], step_b += b_in[i], step_rows += rows_in[i];
        run_a.add(step_a - rate * step_b);
        run_b.add(step_b);
        run_rows.add(step_rows);
        a.push_back(run_a.value());
        b.push_back(run_b.value());
        rows.push_back(run_rows.value());
        cells.push_back(static_cast<std::int64_t>(i));
    }
}

Prefix Prefix::reversed() const {
    const std::size_t n = size();
    Prefix out;
    out.a.resize(n + 1), out.b.resize(n + 1), out.rows.resize(n + 1);
    for (std::size_t i = 0; i <= n; ++i) {
        out.a[i] = a[n] - a[n - i];
        out.b[i] = b[n] - b[n - i];
        out.rows[i] = rows[n] - rows[n - i];
    }
    return out;
}

Prefix Prefix::at(const std::vector<std::int64_t>& borders) const {
    Prefix out;
    for (const std::int64_t i : borders) {
        out.a.push_back(a[i]);
        out.b.push_back(b[i]);
        out.rows.push_back(rows[i]);
    }
    return out;
}

namespace {

// How far each number of groups has been worked out, so that the next one can follow close behind on another core.
class Progress {
   public:
    explicit Progress(std::size_t n_levels) : done_(n_levels) {}
    void reach(std::size_t level, std::size_t j) { done_[level].store(j, std::memory_order_release); }
    void wait(std::size_t level, std::size_t j, const Watch& watch) const {
        while (done_[level].load(std::memory_order_acquire) < j && !watch.stopped()) std::this_thread::yield();
    }

   private:
    std::vector<std::atomic<std::size_t>> done_;
};

constexpr std::size_t kBlock = 4096;         // cells between two looks at the progress
constexpr std::size_t kWorthThreads = 20000;  // fewer cells are done before a thread has started

struct Level {
    std::size_t k;
    const std::vector<double>& before;
    std::vector<double>& now;
    bool only_end;
    bool caller;  // whether the thread that called works on it
};

// Totals for one number of groups, from those for one group less.
void fill_level(const Prefix& p, Limits limits, double low, double high, Level level, Progress& progress,
                Watch& watch) {
    const std::size_t n = p.size(), k = level.k;
    const bool free = limits.rows <= 1 && limits.b <= 0;  // every cell alone may be a group
    Envelope envelope(low, high);
    std::size_t work = 0;
    for (std::size_t from = k, next = k; from <= n; from += kBlock) {
        const std::size_t to = std::min(from + kBlock, n + 1);
        progress.wait(k - 1, to - 1, watch);
        if (watch.stopped()) return;
        for (std::size_t j = from; j < to; ++j) {
            work += envelope.size() + 1;
            if (work >= Watch::kLook) {
                if (!watch.go_on(work, level.caller)) return;
                work = 0;
            }
            if (free && j < n) {
                // The border that enters next is the one just reached: one walk over the pieces serves both.
                if (level.only_end)
                    envelope.enter<false>(p.a[j], p.b[j], level.before[j]);
                else
                    level.now[j] = envelope.enter<true>(p.a[j], p.b[j], level.before[j]);
                continue;
            }
            // A minimum size only delays the moment at which a border may be used.
            for (; !free && next < j && limits.allow(p, next, j); ++next)
                if (level.before[next] != kNever) envelope.enter<false>(p.a[next], p.b[next], level.before[next]);
            if (j == n || !level.only_end) level.now[j] = envelope.best(p.a[j], p.b[j]);
        }
        progress.reach(k, to - 1);
    }
    watch.go_on(work, level.caller);
}

}  // namespace

std::vector<std::vector<double>> segment_totals(const Prefix& p, std::size_t n_groups, Limits limits, bool complete,
                                                Watch& watch) {
    const std::size_t n = p.size();
    std::vector<std::vector<double>> totals(n_groups, std::vector<double>(n + 1, kNever));
    double low = std::numeric_limits<double>::infinity(), high = -low;
    for (std::size_t j = 1; j <= n; ++j) {
        const double mean = p.mean(j - 1, j);
        low = std::min(low, mean), high = std::max(high, mean);
        if (limits.allow(p, 0, j)) totals[0][j] = p.gain(0, j);
    }
    Progress progress(n_groups);
    progress.reach(0, n);
    const bool threads = n >= kWorthThreads && n_groups > 2 && std::thread::hardware_concurrency() > 1;
    auto work = [&](std::size_t first, std::size_t step, bool caller) {
        for (std::size_t k = first; k < n_groups && !watch.stopped(); k += step) {
            const bool only_end = !complete && k + 1 == n_groups;
            fill_level(p, limits, low, high, {k, totals[k - 1], totals[k], only_end, caller}, progress, watch);
        }
    };
    if (threads) {
        std::thread other(work, 2, 2, false);
        work(1, 2, true);
        other.join();
    } else {
        work(1, 1, true);
    }
    watch.rethrow();
    if (watch.gave_up()) totals.clear();
    return totals;
}

// Follow the totals of each number of groups back to its borders.
static Path traced(const Prefix& p, const std::vector<std::vector<double>>& totals, std::size_t n_groups,
                   Limits limits) {
    Path path(n_groups);
    for (std::size_t k = 1; k <= n_groups; ++k) {
        if (totals[k - 1][p.size()] == kNever) {
            path.resize(k - 1);
            break;
        }
        path[k - 1] = trace(p, totals, k, limits);
        for (std::int64_t& border : path[k - 1]) border = p.cells[border];
    }
    return path;
}

// Whether the rates of the steps rise, or fall, without a break.
static bool is_sorted(const Prefix& p) {
    bool rises = true, falls = true;
    for (std::size_t j = 2; j <= p.size() && (rises || falls); ++j) {
        const double before = p.mean(j - 2, j - 1), now = p.mean(j - 1, j);
        rises &= now >= before, falls &= now <= before;
    }
    return rises || falls;
}

static Path best_of_sorted(const Prefix& p, std::size_t n_groups, Limits limits, Watch& watch);

Path best_segments(const double* a, const double* b, const double* rows, std::size_t n, std::size_t n_groups,
                   Limits limits, Watch& watch) {
    // A²/B is convex along a run of equal rates, so no best border lies inside one, unless a limit binds there or
    // there are fewer runs than groups.
    Prefix p(a, b, rows, n, limits.rows <= 1 && limits.b <= 0);
    if (p.size() < n_groups) p = Prefix(a, b, rows, n, false);
    // Along a curve without noise every border stays a candidate, but then the borders move in one direction only.
    if (p.size() >= kWorthThreads && is_sorted(p)) return best_of_sorted(p, n_groups, limits, watch);
    const auto totals = segment_totals(p, n_groups, limits, false, watch);
    return totals.empty() ? Path{} : traced(p, totals, n_groups, limits);
}

Path best_sorted(const double* a, const double* b, const double* rows, std::size_t n, std::size_t n_groups,
                 Limits limits, Watch& watch) {
    return best_of_sorted(Prefix(a, b, rows, n, false), n_groups, limits, watch);
}

static Path best_of_sorted(const Prefix& p, std::size_t n_groups, Limits limits, Watch& watch) {
    const std::size_t n = p.size();
    std::size_t work = 0;
    std::vector<std::vector<double>> totals(n_groups, std::vector<double>(n + 1, kNever));
    for (std::size_t j = 1; j <= n; ++j)
        if (limits.allow(p, 0, j)) totals[0][j] = p.gain(0, j);
    struct Span {
        std::size_t first, last, from, to;  // ends of the groups, and where their last border may lie
    };
    std::vector<Span> open;
    for (std::size_t k = 2; k <= n_groups && k <= n; ++k) {
        const std::vector<double>& before = totals[k - 2];
        // Where rates rise, the best last border does not move left when the end moves right; a minimum size only
        // bounds it from the right, further right for later ends.
        open.push_back({k, n, k - 1, n - 1});
        while (!open.empty()) {
            const Span span = open.back();
            open.pop_back();
            const std::size_t middle = (span.first + span.last) / 2;
            std::size_t best = span.from;
            double most = kNever;
            work += span.to - span.from + 1;
            if (work >= Watch::kLook) {
                if (!watch.go_on(work, true)) watch.rethrow();
                work = 0;
            }
            for (std::size_t i = span.from; i <= span.to && i < middle && limits.allow(p, i, middle); ++i) {
                const double total = before[i] + p.gain(i, middle);
                if (total > most) most = total, best = i;
            }
            totals[k - 1][middle] = most;
            if (span.first < middle) open.push_back({span.first, middle - 1, span.from, best});
            if (middle < span.last) open.push_back({middle + 1, span.last, best, span.to});
        }
    }
    return traced(p, totals, n_groups, limits);
}

}  // namespace fairgroups
