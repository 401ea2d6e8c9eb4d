// Exact segmentation of ordered cells into k consecutive groups, for every k at once.
//
// Maximise the sum of A²/B over groups. With the group's mean μ as a free number the same problem is: minimise the
// sum of B μ² - 2 A μ. For a fixed number of groups keep, as pieces of the μ-axis, which last border is best for
// each μ (functional pruning; Rigaill 2015). The difference of two borders never changes once both exist, so a
// border that has lost a piece has lost it for ever, and the list of pieces stays short.
#include "kernels.hpp"

#include <algorithm>
#include <cmath>

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
    double low;      // the piece ends where the next one begins
    double a, b, v;  // prefix sums and total at the candidate border
};

class Envelope {
   public:
    Envelope(double low, double high) : low_(low), high_(high) {}

    bool empty() const { return pieces_.empty(); }

    double best(double a, double b) const {
        double best = kNever;
        for (const Piece& p : pieces_) {
            const double s = a - p.a;
            best = std::max(best, p.v + s * s / (b - p.b));
        }
        return best;
    }

    // A candidate enters: each older one keeps the part of its piece where it is still at least as good.
    void insert(double a, double b, double v) {
        const Piece entrant{low_, a, b, v};
        if (pieces_.empty()) {
            pieces_.push_back(entrant);
            return;
        }
        if (!beats_any(entrant)) return;
        next_.clear();
        for (std::size_t i = 0; i < pieces_.size(); ++i) {
            const Piece& old = pieces_[i];
            const double from = old.low, to = end_of(i);
            const double d = b - old.b, e = a - old.a, f = v - old.v;
            const double root = e * e - d * f;
            if (root < 0) {
                push(entrant, from);
                continue;
            }
            const double width = std::sqrt(root);
            const double left = std::max(from, (e - width) / d), right = std::min(to, (e + width) / d);
            if (left >= right) {
                push(entrant, from);
                continue;
            }
            if (left > from) push(entrant, from);
            push(old, left);
            if (right < to) push(entrant, right);
        }
        pieces_.swap(next_);
    }

   private:
    double end_of(std::size_t i) const { return i + 1 < pieces_.size() ? pieces_[i + 1].low : high_; }

    // d μ² - 2 e μ + f is convex: at most 0 at both ends of a piece means at most 0 all along it.
    bool beats_any(const Piece& c) const {
        for (std::size_t i = 0; i < pieces_.size(); ++i) {
            const Piece& old = pieces_[i];
            const double d = c.b - old.b, e = c.a - old.a, f = c.v - old.v;
            const double from = old.low, to = end_of(i);
            if ((d * from - 2 * e) * from + f > 0 || (d * to - 2 * e) * to + f > 0) return true;
        }
        return false;
    }

    void push(const Piece& piece, double low) {
        if (!next_.empty() && next_.back().b == piece.b) return;  // same border: the piece grows
        next_.push_back(piece);
        next_.back().low = low;
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

Prefix::Prefix(const double* a_in, const double* b_in, const double* rows_in, std::size_t n)
    : a(n + 1), b(n + 1), rows(n + 1) {
    Running total_a, total_b;
    for (std::size_t i = 0; i < n; ++i) total_a.add(a_in[i]), total_b.add(b_in[i]);
    const double rate = total_a.value() / total_b.value();
    Running run_a, run_b, run_rows;
    for (std::size_t i = 0; i < n; ++i) {
        run_a.add(a_in[i] - rate * b_in[i]);
        run_b.add(b_in[i]);
        run_rows.add(rows_in[i]);
        a[i + 1] = run_a.value();
        b[i + 1] = run_b.value();
        rows[i + 1] = run_rows.value();
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

std::vector<std::vector<double>> segment_totals(const Prefix& p, std::size_t n_groups, Limits limits, bool complete) {
    const std::size_t n = p.size();
    std::vector<std::vector<double>> totals(n_groups, std::vector<double>(n + 1, kNever));
    double low = std::numeric_limits<double>::infinity(), high = -low;
    for (std::size_t j = 1; j <= n; ++j) {
        const double mean = p.mean(j - 1, j);
        low = std::min(low, mean), high = std::max(high, mean);
        if (limits.allow(p, 0, j)) totals[0][j] = p.gain(0, j);
    }
    for (std::size_t k = 1; k < n_groups; ++k) {
        const std::vector<double>& before = totals[k - 1];
        std::vector<double>& now = totals[k];
        Envelope envelope(low, high);
        const bool only_end = !complete && k + 1 == n_groups;
        std::size_t next = k;  // the first border that has not entered yet
        for (std::size_t j = k + 1; j <= n; ++j) {
            // A minimum size only delays the moment at which a border may be used.
            for (; next < j && limits.allow(p, next, j); ++next)
                if (before[next] != kNever) envelope.insert(p.a[next], p.b[next], before[next]);
            if (!envelope.empty() && (j == n || !only_end)) now[j] = envelope.best(p.a[j], p.b[j]);
        }
    }
    return totals;
}

std::vector<std::int64_t> mergeable_runs(const double* a, const double* b, std::size_t n) {
    std::vector<std::int64_t> borders{0};
    for (std::size_t i = 1; i < n; ++i)
        if (a[i] * b[i - 1] != a[i - 1] * b[i]) borders.push_back(static_cast<std::int64_t>(i));
    borders.push_back(static_cast<std::int64_t>(n));
    return borders;
}

Path best_segments(const double* a, const double* b, const double* rows, std::size_t n, std::size_t n_groups,
                   Limits limits) {
    Prefix p(a, b, rows, n);
    // A²/B is convex along a run of equal rates, so no best border lies inside one, unless a limit binds there or
    // there are fewer runs than groups.
    std::vector<std::int64_t> cells;
    if (limits.rows <= 1 && limits.b <= 0) {
        cells = mergeable_runs(a, b, n);
        if (cells.size() - 1 >= n_groups && cells.size() - 1 < n)
            p = p.at(cells);
        else
            cells.clear();
    }
    const auto totals = segment_totals(p, n_groups, limits, false);
    Path path(n_groups);
    for (std::size_t k = 1; k <= n_groups; ++k) {
        if (totals[k - 1][p.size()] == kNever) {
            path.resize(k - 1);
            break;
        }
        path[k - 1] = trace(p, totals, k, limits);
        if (!cells.empty())
            for (std::int64_t& border : path[k - 1]) border = cells[border];
    }
    return path;
}

}  // namespace fairgroups
