// Tilings beyond the exact budget: at each number of boxes keep the best few unfinished tilings, cut every box of each
// in every way, and keep the best few again.
#include "boxes.hpp"

#include <algorithm>
#include <cmath>

namespace fairgroups {

std::vector<Tiling> beam_boxes(const Grid& grid, std::size_t n_groups, std::size_t width, const Tick& tick) {
    struct Step {
        double total;
        std::size_t state, box;
        Box left, right;
    };
    std::vector<Tiling> states{{grid.gain(grid.whole()), {grid.whole()}}}, out = states;
    for (std::size_t k = 2; k <= n_groups && !states.empty(); ++k) {
        std::vector<Step> steps;
        for (std::size_t s = 0; s < states.size(); ++s) {
            tick(static_cast<double>(k - 2 + s / states.size()) / static_cast<double>(n_groups));
            for (std::size_t i = 0; i < states[s].boxes.size(); ++i) {
                const double before = states[s].total - grid.gain(states[s].boxes[i]);
                for_each_cut(grid, states[s].boxes[i], [&](const Box& left, const Box& right) {
                    const double total = before + grid.gain(left) + grid.gain(right);
                    if (total != kNever) steps.push_back({total, s, i, left, right});
                });
            }
            if (steps.size() > 64 * width + 4096) {
                std::nth_element(steps.begin(), steps.begin() + 8 * static_cast<std::ptrdiff_t>(width), steps.end(),
                                 [](const Step& x, const Step& y) { return x.total > y.total; });
                steps.resize(8 * width);
            }
        }
        std::stable_sort(steps.begin(), steps.end(), [](const Step& x, const Step& y) { return x.total > y.total; });
        std::vector<Tiling> next;
        double last = std::numeric_limits<double>::quiet_NaN();
        for (const Step& step : steps) {
            if (next.size() == width) break;
            // The same boxes in another order of cuts have the same total: keep one.
            if (std::abs(step.total - last) <= kTie * std::abs(last)) continue;
            last = step.total;
            Tiling tiling{step.total, states[step.state].boxes};
            tiling.boxes[step.box] = step.left;
            tiling.boxes.push_back(step.right);
            next.push_back(std::move(tiling));
        }
        states = std::move(next);
        out.push_back(states.empty() ? Tiling{} : states.front());
    }
    out.resize(n_groups);
    return out;
}

}  // namespace fairgroups
