// Outcomes dealt out again among people who are alike, for many columns at once: one deal is the same for all of them,
// so that columns which go together go together in every draw.
#include "kernels.hpp"
#include "random.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace fairgroups {
namespace {

// Mammen's two values: mean 0, variance 1 and third moment 1, so that skewed outcomes stay skewed.
const double kLess = (1 - std::sqrt(5.0)) / 2, kMore = (1 + std::sqrt(5.0)) / 2;
constexpr std::size_t kTogether = 500'000;  // what is dealt in draws that are looked at together
const double kShareOfLess = (std::sqrt(5.0) + 1) / (2 * std::sqrt(5.0));

// One draw after another: who adds what. Outcomes are dealt to other people of the stratum, exactly; those of rows that
// weigh differently or belong together keep their place and are multiplied at random.
class Deals {
  public:
    Deals(const DealtPeople& people, std::uint64_t seed)
        : people_(people), random_(seed), n_(static_cast<std::size_t>(people.starts[people.n_strata])) {
        if (people.yes == nullptr) {
            who.resize(n_), adds.resize(n_), times_.resize(people.n_clusters);
            for (std::size_t i = 0; i < n_; ++i) who[i] = static_cast<std::uint32_t>(i);
            for (std::size_t i = 0; i < n_; ++i) adds[i] = static_cast<float>(people.values[i]);
            return;
        }
        order_.resize(n_);
        for (std::size_t i = 0; i < n_; ++i) order_[i] = static_cast<std::uint32_t>(i);
        std::size_t few = 0;
        for (std::size_t s = 0; s < people.n_strata; ++s) few += static_cast<std::size_t>(fewer(s));
        who.resize(few), adds.resize(few);
    }

    // What everybody adds before anything is dealt: in strata of mostly yes it is the noes that are dealt.
    float before(std::size_t stratum) const {
        if (people_.yes == nullptr) return 0;
        const double yes = static_cast<double>(people_.yes[stratum]), n = static_cast<double>(size(stratum));
        return static_cast<float>((mostly_yes(stratum) ? 1.0 : 0.0) - yes / n);
    }

    void next() {
        if (people_.yes != nullptr) return deal();
        people_.clusters == nullptr ? shuffle() : multiply();
    }

    std::vector<std::uint32_t> who;
    std::vector<float> adds;

  private:
    std::int64_t size(std::size_t s) const { return people_.starts[s + 1] - people_.starts[s]; }
    bool mostly_yes(std::size_t s) const { return 2 * people_.yes[s] > size(s); }
    std::int64_t fewer(std::size_t s) const { return mostly_yes(s) ? size(s) - people_.yes[s] : people_.yes[s]; }

    void deal() {
        std::size_t at = 0;
        for (std::size_t s = 0; s < people_.n_strata; ++s) {
            std::uint32_t* first = order_.data() + people_.starts[s];
            const std::int64_t n = size(s), few = fewer(s);
            const float step = mostly_yes(s) ? -1.0f : 1.0f;
            for (std::int64_t i = 0; i < few; ++i, ++at) {
                std::swap(first[i], first[i + static_cast<std::int64_t>(random_.below(static_cast<std::size_t>(n - i)))]);
                who[at] = first[i], adds[at] = step;
            }
        }
    }

    void shuffle() {
        for (std::size_t s = 0; s < people_.n_strata; ++s) {
            float* first = adds.data() + people_.starts[s];
            for (std::int64_t left = size(s); left > 1; --left)
                std::swap(first[left - 1], first[random_.below(static_cast<std::size_t>(left))]);
        }
    }

    void multiply() {
        for (double& x : times_)
            x = static_cast<double>(random_.next() >> 11) * 0x1p-53 < kShareOfLess ? kLess : kMore;
        for (std::size_t s = 0; s < people_.n_strata; ++s) {
            double sum = 0, weight = 0;
            for (std::int64_t i = people_.starts[s]; i < people_.starts[s + 1]; ++i)
                sum += people_.values[i] * times_[people_.clusters[i]], weight += people_.weights[i];
            const double mean = weight > 0 ? sum / weight : 0;
            for (std::int64_t i = people_.starts[s]; i < people_.starts[s + 1]; ++i)
                adds[i] = static_cast<float>(people_.values[i] * times_[people_.clusters[i]] - mean * people_.weights[i]);
        }
    }

    const DealtPeople& people_;
    Random random_;
    const std::size_t n_;
    std::vector<std::uint32_t> order_;
    std::vector<double> times_;
};

// The largest statistic over every box of a grid of two axes, in the order of `EveryRegion`.
class PairMaximum {
  public:
    float of(const float* grid, const DealtAxis& one, const DealtAxis& other, const RegionScale& scale) {
        above_ = scale.above, below_ = scale.below, charge_ = scale.charge, std::fill(lanes_, lanes_ + 4, -1e9f);
        const std::size_t m = other.size;
        sides(one, grid, m, runs_);
        strip_.resize(m);
        if (!one.categorical) {
            for (std::size_t low = 0; low < one.size; ++low)
                for (std::size_t high = low + 1; high <= one.size; ++high) {
                    for (std::size_t j = 0; j < m; ++j) strip_[j] = runs_[high * m + j] - runs_[low * m + j];
                    strip(other);
                }
            return *std::max_element(lanes_, lanes_ + 4);
        }
        const std::size_t n = runs_.size() / m;
        for (std::size_t k = 0; k < n; ++k) {
            std::copy_n(&runs_[k * m], m, strip_.begin());
            strip(other);
        }
        return *std::max_element(lanes_, lanes_ + 4);
    }

  private:
    // Running sums along a number, with a zero in front; of a category the sums of its sets.
    static void sides(const DealtAxis& axis, const float* cells, std::size_t each, std::vector<float>& out) {
        if (!axis.categorical) {
            out.assign((axis.size + 1) * each, 0.0f);
            for (std::size_t i = 0; i < axis.size * each; ++i) out[i + each] = out[i] + cells[i];
            return;
        }
        if (axis.size <= kAllSets) {
            const std::size_t sets = std::size_t{1} << axis.size;
            out.assign((sets - 1) * each, 0.0f);
            for (std::size_t set = 1; set < sets; ++set) {
                std::size_t level = 0;
                while (!(set >> level & 1)) ++level;
                const std::size_t others = set & (set - 1);
                for (std::size_t j = 0; j < each; ++j)
                    out[(set - 1) * each + j] = cells[level * each + j] + (others ? out[(others - 1) * each + j] : 0.0f);
            }
            return;
        }
        out.assign((axis.size + 1) * each, 0.0f);
        for (std::size_t i = 0; i < axis.size; ++i)
            for (std::size_t j = 0; j < each; ++j) {
                out[i * each + j] = cells[i * each + j];
                out[axis.size * each + j] += cells[i * each + j];
            }
    }

    void strip(const DealtAxis& axis) {
        sides(axis, strip_.data(), 1, last_);
        if (axis.categorical) {
            look(last_.data(), 0.0f, last_.size());
            return;
        }
        for (std::size_t low = 0; low < axis.size; ++low) look(&last_[low + 1], last_[low], axis.size - low);
    }

    void look(const float* sums, float less, std::size_t n) {
        std::size_t i = 0;
        for (; i + 4 <= n; i += 4)
            for (std::size_t j = 0; j < 4; ++j) {
                const float sum = sums[i + j] - less, up = sum * above_[i + j], down = -sum * below_[i + j];
                const float found = (up > down ? up : down) - charge_[i + j];
                lanes_[j] = found > lanes_[j] ? found : lanes_[j];
            }
        for (; i < n; ++i) {
            const float sum = sums[i] - less, up = sum * above_[i], down = -sum * below_[i];
            const float found = (up > down ? up : down) - charge_[i];
            lanes_[0] = found > lanes_[0] ? found : lanes_[0];
        }
        above_ += n, below_ += n, charge_ += n;
    }

    const float *above_ = nullptr, *below_ = nullptr, *charge_ = nullptr;
    float lanes_[4];
    std::vector<float> runs_, strip_, last_;
};

}  // namespace

void deal_sums(const DealtPeople& people, const std::uint16_t* codes, const std::vector<std::size_t>& sizes,
               std::size_t n_draws, std::uint64_t seed, float* out) {
    Deals deals(people, seed);
    const std::size_t n = static_cast<std::size_t>(people.starts[people.n_strata]);
    std::size_t total = 0;
    for (const std::size_t size : sizes) total += size;
    std::vector<double> base(total, 0.0);
    std::size_t first = 0;
    for (std::size_t c = 0; c < sizes.size(); first += sizes[c++])
        for (std::size_t s = 0; s < people.n_strata; ++s) {
            const float before = deals.before(s);
            for (std::int64_t i = people.starts[s]; i < people.starts[s + 1]; ++i) base[first + codes[c * n + i]] += before;
        }
    std::vector<float> sums;
    for (std::size_t draw = 0; draw < n_draws; ++draw) {
        end_if_asked();
        deals.next();
        first = 0;
        for (std::size_t c = 0; c < sizes.size(); first += sizes[c++]) {
            sums.assign(sizes[c], 0.0f);
            const std::uint16_t* own = codes + c * n;
            for (std::size_t k = 0; k < deals.who.size(); ++k) sums[own[deals.who[k]]] += deals.adds[k];
            float* to = out + draw * total + first;
            for (std::size_t i = 0; i < sizes[c]; ++i) to[i] = static_cast<float>(base[first + i] + sums[i]);
        }
    }
}

void deal_pairs(const DealtPeople& people, const std::uint16_t* codes, const std::vector<DealtAxis>& axes,
                const DealtPairs& pairs, const std::int32_t* chosen, std::size_t n_chosen, std::size_t n_draws,
                std::uint64_t seed, float* out) {
    Deals deals(people, seed);
    PairMaximum maximum;
    const std::size_t n = static_cast<std::size_t>(people.starts[people.n_strata]), dealt = deals.who.size();
    // Some draws at a time, and pair by pair, so that a pair's scale is read once for all of them.
    const std::size_t together = std::clamp<std::size_t>(kTogether / std::max<std::size_t>(dealt, 1), 1, n_draws);
    std::vector<std::uint32_t> who(together * dealt);
    std::vector<float> adds(together * dealt), base, grid;
    std::vector<std::vector<std::size_t>> asked(pairs.n);
    for (std::size_t first = 0; first < n_draws; first += together) {
        const std::size_t last = std::min(first + together, n_draws);
        for (std::vector<std::size_t>& places : asked) places.clear();
        for (std::size_t draw = first; draw < last; ++draw) {
            deals.next();
            std::copy(deals.who.begin(), deals.who.end(), &who[(draw - first) * dealt]);
            std::copy(deals.adds.begin(), deals.adds.end(), &adds[(draw - first) * dealt]);
            for (std::size_t k = 0; k < n_chosen; ++k)
                asked[static_cast<std::size_t>(chosen[draw * n_chosen + k])].push_back(draw * n_chosen + k);
        }
        for (std::size_t pair = 0; pair < pairs.n; ++pair) {
            if (asked[pair].empty()) continue;
            end_if_asked();
            const std::size_t a = static_cast<std::size_t>(pairs.columns[2 * pair]),
                              b = static_cast<std::size_t>(pairs.columns[2 * pair + 1]);
            const DealtAxis &one = axes[a], &other = axes[b];
            const std::uint16_t *rows = codes + a * n, *columns = codes + b * n;
            const std::size_t wide = other.size + 1;  // who lies in no cell of an axis has the code after its last
            std::vector<double> before((one.size + 1) * wide, 0.0);
            if (people.yes != nullptr)
                for (std::size_t s = 0; s < people.n_strata; ++s)
                    for (std::int64_t i = people.starts[s]; i < people.starts[s + 1]; ++i)
                        before[rows[i] * wide + columns[i]] += deals.before(s);
            base.assign(before.begin(), before.end());
            for (const std::size_t place : asked[pair]) {
                end_if_asked();
                const std::size_t draw = place / n_chosen - first;
                const std::uint32_t* person = &who[draw * dealt];
                const float* more = &adds[draw * dealt];
                grid = base;
                for (std::size_t i = 0; i < dealt; ++i) grid[rows[person[i]] * wide + columns[person[i]]] += more[i];
                for (std::size_t i = 1; i < one.size; ++i)  // without those who lie in no cell
                    std::copy_n(&grid[i * wide], other.size, &grid[i * other.size]);
                out[place] = maximum.of(grid.data(), one, other, pairs.scale.from(pairs.first[pair]));
            }
        }
    }
}

}  // namespace fairgroups
