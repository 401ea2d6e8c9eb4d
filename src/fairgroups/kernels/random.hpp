// Random numbers that are the same on every machine.
#pragma once

#include <cstddef>
#include <cstdint>

namespace fairgroups {

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

    // A number of 64 bits.
    std::uint64_t next() {
        const std::uint64_t found = turned(state_[0] + state_[3], 23) + state_[0], t = state_[1] << 17;
        state_[2] ^= state_[0], state_[3] ^= state_[1], state_[1] ^= state_[2], state_[0] ^= state_[3];
        state_[2] ^= t, state_[3] = turned(state_[3], 45);
        return found;
    }

    // A number below n, which is less than 2^32: the rest of the product decides, with an error of n in 2^32 at most.
    std::size_t below(std::size_t n) { return static_cast<std::size_t>(((next() >> 32) * n) >> 32); }

  private:
    static std::uint64_t turned(std::uint64_t x, int k) { return (x << k) | (x >> (64 - k)); }

    std::uint64_t state_[4];
};

}  // namespace fairgroups
