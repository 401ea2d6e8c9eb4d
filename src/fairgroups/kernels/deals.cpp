// Outcomes dealt out again within strata: how many yeses each cell gets when every way to deal them is as likely.
#include "kernels.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace fairgroups {
namespace {

// xoshiro256++ of Blackman and Vigna, seeded by splitmix64.
class Random {
  public:
    explicit Random(std::uint64_t seed) {
        for (std::uint64_t& word : state_) {
            std::uint64_t z = (seed += 0x9e3779b97f4a7c15ULL);
            z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
            z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
            word = z ^ (z >> 31);
        }
    }

    // A number below n, which is less than 2^32: the rest of the product decides, with an error of n in 2^32 at most.
    std::size_t below(std::size_t n) { return static_cast<std::size_t>(((next() >> 32) * n) >> 32); }

  private:
    static std::uint64_t turned(std::uint64_t x, int k) { return (x << k) | (x >> (64 - k)); }

    std::uint64_t next() {
        const std::uint64_t found = turned(state_[0] + state_[3], 23) + state_[0], t = state_[1] << 17;
        state_[2] ^= state_[0], state_[3] ^= state_[1], state_[1] ^= state_[2], state_[0] ^= state_[3];
        state_[2] ^= t, state_[3] = turned(state_[3], 45);
        return found;
    }

    std::uint64_t state_[4];
};

}  // namespace

void deal_within(const std::int64_t* starts, const std::int64_t* yes, std::size_t n_strata, const std::int32_t* cells,
                 std::size_t n_cells, std::size_t n_draws, std::uint64_t seed, float* out) {
    Random random(seed);
    std::vector<std::int32_t> people(cells, cells + starts[n_strata]);
    std::vector<std::int64_t> all(n_cells, 0), dealt(n_cells);
    for (std::size_t s = 0; s < n_strata; ++s)
        if (2 * yes[s] > starts[s + 1] - starts[s])
            for (std::int64_t i = starts[s]; i < starts[s + 1]; ++i) ++all[cells[i]];
    for (std::size_t draw = 0; draw < n_draws; ++draw) {
        dealt = all;
        for (std::size_t s = 0; s < n_strata; ++s) {
            std::int32_t* first = people.data() + starts[s];
            const std::int64_t n = starts[s + 1] - starts[s];
            const bool rather_no = 2 * yes[s] > n;  // the fewer of the two are dealt
            const std::int64_t few = rather_no ? n - yes[s] : yes[s], step = rather_no ? -1 : 1;
            for (std::int64_t i = 0; i < few; ++i) {
                std::swap(first[i], first[i + static_cast<std::int64_t>(random.below(static_cast<std::size_t>(n - i)))]);
                dealt[first[i]] += step;
            }
        }
        std::transform(dealt.begin(), dealt.end(), out + draw * n_cells,
                       [](std::int64_t x) { return static_cast<float>(x); });
    }
}

}  // namespace fairgroups
