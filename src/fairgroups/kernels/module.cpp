// The Python face of the kernels. The interpreter is released while they run.
#include "every_box.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <stdexcept>
#include <utility>

namespace nb = nanobind;
using namespace nb::literals;

namespace fairgroups {
namespace {

template <class T>
using Vector = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using Matrix = nb::ndarray<const T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

// The kernels trust their callers, so whatever comes from Python is checked here, always: a call that does not fit is a
// ValueError, never a read past the end.
void require(bool holds, const char* what) {
    if (!holds) throw std::invalid_argument(what);
}

constexpr double kLargest = 1e150;  // beyond, squares overflow

template <class Array>
void finite(const Array& x) {
    const auto* at = x.data();
    for (std::size_t i = 0; i < x.size(); ++i)
        require(std::abs(static_cast<double>(at[i])) <= kLargest, "numbers must be finite and at most 1e150.");
}

template <class... Arrays>
void alike(std::size_t n, const Arrays&... arrays) {
    require(((arrays.shape(0) == n) && ...), "arrays must be of equal length.");
    (finite(arrays), ...);
}

void not_negative(const Vector<double>& x) {
    for (std::size_t i = 0; i < x.shape(0); ++i) require(x.data()[i] >= 0, "sums of B and rows must not be negative.");
}

void rising(const double* x, std::size_t n) {
    for (std::size_t i = 1; i < n; ++i) require(x[i] >= x[i - 1], "running sums must not fall.");
}

void limits_fit(std::size_t n_groups, double min_rows, double min_b) {
    require(n_groups >= 1, "at least one group must be asked for.");
    require(std::isfinite(min_rows) && std::isfinite(min_b), "limits must be finite.");
}

void rate_fits(double rate) { require(rate > 0 && rate < 1, "the rate must lie between 0 and 1."); }

using Search = Path (*)(const double*, const double*, const double*, std::size_t, std::size_t, Limits, Watch&);

// Ctrl-C arrives here: Python raises it, and the search stops.
void let_signals_in() {
    nb::gil_scoped_acquire acquire;
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
}

template <Search search>
Path call(Vector<double> a, Vector<double> b, Vector<double> rows, std::size_t n_groups, double min_rows,
          double min_b, double most_work) {
    alike(a.shape(0), a, b, rows);
    require(a.shape(0) >= 1, "there must be a cell.");
    not_negative(b), not_negative(rows), limits_fit(n_groups, min_rows, min_b);
    n_groups = std::min<std::size_t>(n_groups, a.shape(0));
    nb::gil_scoped_release release;
    Watch watch(let_signals_in, most_work);
    return search(a.data(), b.data(), rows.data(), a.shape(0), n_groups, Limits{min_rows, min_b}, watch);
}

std::vector<std::int64_t> call_isotonic(Vector<double> a, Vector<double> b) {
    alike(a.shape(0), a, b);
    not_negative(b);
    nb::gil_scoped_release release;
    return isotonic_blocks(a.data(), b.data(), a.shape(0));
}

std::pair<std::vector<double>, std::vector<double>> call_cell_maxima(Matrix<double> prefix, Vector<double> sizes,
                                                                     double rate, double weight) {
    require(prefix.shape(0) >= 1 && prefix.shape(0) == sizes.shape(0), "arrays must be of equal length.");
    finite(prefix), finite(sizes), rising(sizes.data(), sizes.shape(0)), rate_fits(rate);
    nb::gil_scoped_release release;
    const std::size_t n_draws = prefix.shape(1);
    std::vector<double> of_rate(n_draws), of_phi(n_draws);
    cell_maxima(prefix.data(), sizes.data(), prefix.shape(0) - 1, n_draws, rate, weight, of_rate.data(), of_phi.data());
    return {std::move(of_rate), std::move(of_phi)};
}

template <class Prefix>
void windows_fit(const Prefix& prefix, const Vector<std::int64_t>& lengths) {
    require(prefix.shape(0) >= 2, "there must be a row.");
    const auto n = static_cast<std::int64_t>(prefix.shape(0)) - 1;
    for (std::size_t i = 0; i < lengths.shape(0); ++i)
        require(lengths.data()[i] >= 1 && lengths.data()[i] <= n, "lengths must lie between 1 and the number of rows.");
}

std::pair<double, double> call_window_maxima(Vector<std::int32_t> prefix, Vector<std::int64_t> lengths, double rate) {
    windows_fit(prefix, lengths), rate_fits(rate);
    nb::gil_scoped_release release;
    std::pair<double, double> out;
    window_maxima(prefix.data(), prefix.shape(0) - 1, lengths.data(), lengths.shape(0), rate, &out.first, &out.second);
    return out;
}

std::pair<double, double> call_gaussian_maxima(Vector<double> prefix, Vector<std::int64_t> lengths) {
    windows_fit(prefix, lengths), finite(prefix);
    nb::gil_scoped_release release;
    std::pair<double, double> out;
    gaussian_window_maxima(prefix.data(), prefix.shape(0) - 1, lengths.data(), lengths.shape(0), &out.first,
                           &out.second);
    return out;
}

std::tuple<double, std::size_t, std::size_t> call_most_different(Vector<double> a, Vector<double> b, Vector<double> bb,
                                                                 Vector<double> rows, std::size_t from, std::size_t to,
                                                                 double quantile, double penalty, double least_root,
                                                                 double n, double all_rows, bool equal_weights,
                                                                 double scale, double min_rows, double min_b,
                                                                 bool decide) {
    alike(a.shape(0), a, b, bb, rows);
    require(from < to && to < a.shape(0), "the range must lie within the cells.");
    rising(b.data(), b.shape(0)), rising(bb.data(), bb.shape(0)), rising(rows.data(), rows.shape(0));
    nb::gil_scoped_release release;
    const RangeSums sums{a.data(), b.data(), bb.data(), rows.data()};
    const RangeRule rule{quantile, penalty, least_root, n, all_rows, equal_weights, scale, min_rows, min_b, decide};
    const RangeFound found = most_different(sums, from, to, rule);
    return {found.excess, found.from, found.to};
}

using Boxes = std::vector<std::vector<std::pair<std::uint64_t, std::uint32_t>>>;
using Axes = std::vector<std::pair<std::size_t, bool>>;

std::vector<Axis> axes_of(const Axes& axes) {
    std::vector<Axis> sides;
    for (const auto& [size, categorical] : axes) sides.push_back({size, categorical});
    return sides;
}

// The number of cells of a grid, which `n` arrays must hold; levels of a category are bits of a number.
std::size_t grid_fits(const Axes& axes, std::size_t n, std::size_t most_levels) {
    require(!axes.empty() && axes.size() <= kMaxAxes, "a grid has one to eight axes.");
    std::size_t cells = 1;
    for (const auto& [size, categorical] : axes) {
        require(size >= 1 && size <= 4'000'000, "each axis must have a cell, and at most four million.");
        require(!categorical || size <= most_levels, "a category has too many levels.");
        cells *= size;
        require(cells <= 64'000'000, "a grid has at most 64 million cells.");
    }
    require(cells == n, "arrays must hold a number for each cell of the grid.");
    return cells;
}

// In the kernels over all boxes every set of levels is looked at, of the last axis only the sets of its order.
void sets_fit(const Axes& axes) {
    for (std::size_t d = 0; d + 1 < axes.size(); ++d)
        require(!axes[d].second || axes[d].first <= kAllSubsets, "a category before the last axis has too many levels.");
}

Boxes boxes_of(const std::vector<Box>& found, std::size_t n_axes) {
    Boxes boxes;
    for (const Box& box : found) {
        boxes.emplace_back();
        for (std::size_t d = 0; d < n_axes; ++d) boxes.back().emplace_back(box[d].low, box[d].high);
    }
    return boxes;
}

Tick tick_of(const nb::callable& progress) {
    return [&progress](double share) {
        nb::gil_scoped_acquire acquire;
        let_signals_in();
        if (share >= 0) progress(share);
    };
}

std::pair<std::vector<double>, std::vector<double>> call_box_maxima(Matrix<float> drift, Matrix<double> sums,
                                                                    const Axes& axes, double rate, double weight,
                                                                    bool equal_weights, double n, std::optional<Vector<double>> reached) {
    require(drift.shape(0) == sums.shape(0) && sums.shape(1) == 3, "arrays must be of equal length.");
    require(drift.shape(1) % kDrawsInStep == 0, "the number of draws must be a multiple of 16.");
    require(!reached || reached->shape(0) == drift.shape(1), "arrays must be of equal length.");
    require(rate < 1 && rate != 0, "the rate must lie between 0 and 1.");
    grid_fits(axes, drift.shape(0), 63), sets_fit(axes), finite(drift), finite(sums);
    nb::gil_scoped_release release;
    const std::size_t n_draws = drift.shape(1);
    std::vector<double> of_rate(n_draws), of_phi(n_draws);
    const BoxDraws cells{drift.data(), sums.data(), n_draws, rate, weight, equal_weights, n,
                         reached ? reached->data() : nullptr};
    box_maxima(cells, axes_of(axes), of_rate.data(), of_phi.data());
    return {std::move(of_rate), std::move(of_phi)};
}

std::tuple<double, std::vector<std::pair<std::uint64_t, std::uint32_t>>> call_most_different_box(
    Matrix<double> sums, const Axes& axes, double quantile, double penalty, double least_root, double n,
    double all_rows, bool equal_weights, double scale, double min_rows, double min_b) {
    require(sums.shape(1) == 4, "four sums are needed for each cell.");
    grid_fits(axes, sums.shape(0), 63), sets_fit(axes), finite(sums);
    BoxFound found{};
    {
        nb::gil_scoped_release release;
        const RangeRule rule{quantile, penalty, least_root, n, all_rows, equal_weights, scale, min_rows, min_b, false};
        found = most_different_box(sums.data(), axes_of(axes), rule);
    }
    return {found.excess, boxes_of({found.box}, axes.size())[0]};
}

std::vector<std::pair<double, Boxes>> call_boxes(Vector<double> a, Vector<double> b, Vector<double> rows,
                                                 const Axes& axes, std::size_t n_groups, double min_rows, double min_b,
                                                 std::size_t width, const nb::callable& progress) {
    alike(a.shape(0), a, b, rows);
    grid_fits(axes, a.shape(0), 64), not_negative(b), not_negative(rows), limits_fit(n_groups, min_rows, min_b);
    std::vector<Tiling> found;
    {
        nb::gil_scoped_release release;
        const Tick tick = tick_of(progress);
        const Grid grid(a.data(), b.data(), rows.data(), axes_of(axes), Limits{min_rows, min_b});
        found = width == 0 ? best_boxes(grid, n_groups, tick) : beam_boxes(grid, n_groups, width, tick);
    }
    std::vector<std::pair<double, Boxes>> out;
    for (const Tiling& tiling : found) out.emplace_back(tiling.total, boxes_of(tiling.boxes, axes.size()));
    return out;
}

std::vector<std::tuple<double, double, Boxes>> call_frontiers(const std::vector<std::pair<Vector<double>, Vector<double>>>& sums,
                                                              Vector<double> rows, const Axes& axes,
                                                              std::size_t n_groups, double min_rows, double min_b,
                                                              bool against_rest, std::size_t width,
                                                              const nb::callable& progress) {
    require(!sums.empty(), "there must be a rate.");
    for (const auto& [a, b] : sums) alike(rows.shape(0), a, b), not_negative(b);
    alike(rows.shape(0), rows), grid_fits(axes, rows.shape(0), 64), limits_fit(n_groups, min_rows, min_b);
    std::vector<Frontier> found;
    {
        nb::gil_scoped_release release;
        const Tick tick = tick_of(progress);
        std::vector<Grid> grids;
        for (const auto& [a, b] : sums)
            grids.emplace_back(a.data(), b.data(), rows.data(), axes_of(axes), Limits{min_rows, min_b});
        found = best_frontiers(grids, n_groups, against_rest, width, tick);
    }
    std::vector<std::tuple<double, double, Boxes>> out;
    for (const Frontier& f : found) out.emplace_back(f.total, f.bound, boxes_of(f.boxes, axes.size()));
    return out;
}

template <class T>
using MaybeVector = std::optional<Vector<T>>;
using Codes = Matrix<std::uint16_t>;

DealtPeople dealt_people(const Vector<std::int64_t>& starts, const MaybeVector<std::int64_t>& yes,
                         const MaybeVector<double>& values, const MaybeVector<double>& weights,
                         const MaybeVector<std::int32_t>& clusters, const Codes& codes) {
    require(starts.shape(0) >= 2 && starts.data()[0] == 0, "strata must begin at 0 and end at the last one's end.");
    const std::size_t n_strata = starts.shape(0) - 1;
    for (std::size_t s = 0; s < n_strata; ++s) {
        const std::int64_t n = starts.data()[s + 1] - starts.data()[s];
        require(n >= 0 && n < (std::int64_t{1} << 32), "strata must not fall, nor hold more than 2^32 people.");
    }
    const std::size_t n = codes.shape(1);
    require(starts.data()[n_strata] == static_cast<std::int64_t>(n), "everybody must be in a stratum.");
    require(n < (std::size_t{1} << 32), "there must be fewer than 2^32 people.");
    DealtPeople people{starts.data(), n_strata, nullptr, nullptr, nullptr, nullptr, 0};
    if (yes) {
        require(yes->shape(0) == n_strata, "there must be a number of yeses for each stratum.");
        for (std::size_t s = 0; s < n_strata; ++s)
            require(yes->data()[s] >= 0 && yes->data()[s] <= starts.data()[s + 1] - starts.data()[s],
                    "a stratum holds no more yeses than people.");
        people.yes = yes->data();
        return people;
    }
    require(values && weights, "without yeses there must be values and weights.");
    alike(n, *values, *weights);
    people.values = values->data(), people.weights = weights->data();
    if (!clusters) return people;
    require(clusters->shape(0) == n, "arrays must be of equal length.");
    for (std::size_t i = 0; i < n; ++i) {
        require(clusters->data()[i] >= 0 && static_cast<std::size_t>(clusters->data()[i]) < n, "there is no such cluster.");
        people.n_clusters = std::max(people.n_clusters, static_cast<std::size_t>(clusters->data()[i]) + 1);
    }
    people.clusters = clusters->data();
    return people;
}

void codes_fit(const Codes& codes, const std::vector<std::size_t>& sizes) {
    require(codes.shape(0) == sizes.size(), "there must be codes for each column.");
    for (std::size_t c = 0; c < sizes.size(); ++c)
        for (std::size_t i = 0; i < codes.shape(1); ++i)
            require(codes.data()[c * codes.shape(1) + i] < sizes[c], "there is no such cell.");
}

void call_deal_sums(Vector<std::int64_t> starts, MaybeVector<std::int64_t> yes, MaybeVector<double> values,
                    MaybeVector<double> weights, MaybeVector<std::int32_t> clusters, Codes codes,
                    const std::vector<std::size_t>& sizes,
                    nb::ndarray<float, nb::ndim<2>, nb::c_contig, nb::device::cpu> out, std::uint64_t seed) {
    codes_fit(codes, sizes);
    std::size_t total = 0;
    for (const std::size_t size : sizes) total += size;
    require(out.shape(1) == total, "there must be room for every cell.");
    const DealtPeople people = dealt_people(starts, yes, values, weights, clusters, codes);
    nb::gil_scoped_release release;
    deal_sums(people, codes.data(), sizes, out.shape(0), seed, out.data());
}

void call_deal_pairs(Vector<std::int64_t> starts, MaybeVector<std::int64_t> yes, MaybeVector<double> values,
                     MaybeVector<double> weights, MaybeVector<std::int32_t> clusters, Codes codes, const Axes& axes,
                     Matrix<std::int32_t> pairs, Vector<std::int64_t> first, Vector<float> above, Vector<float> below,
                     Vector<float> charge, Matrix<std::int32_t> chosen,
                     nb::ndarray<float, nb::ndim<2>, nb::c_contig, nb::device::cpu> out, std::uint64_t seed) {
    std::vector<std::size_t> sizes;
    std::vector<DealtAxis> all;
    for (const auto& [size, categorical] : axes) {
        require(size >= 1 && (!categorical || size <= 64), "an axis has a cell, and a category 64 levels at most.");
        sizes.push_back(size + 1), all.push_back({size, categorical});
    }
    codes_fit(codes, sizes);
    const std::size_t n_pairs = pairs.shape(0);
    require(pairs.shape(1) == 2 && first.shape(0) == n_pairs, "a pair has two columns, and a first box.");
    alike(charge.shape(0), above, below, charge);
    for (std::size_t k = 0; k < n_pairs; ++k) {
        const std::int32_t a = pairs.data()[2 * k], b = pairs.data()[2 * k + 1];
        const auto known = [&](std::int32_t c) { return c >= 0 && static_cast<std::size_t>(c) < axes.size(); };
        require(known(a) && known(b), "there is no such column.");
        require(first.data()[k] >= 0 &&
                    static_cast<std::size_t>(first.data()[k]) + n_regions({axes[a], axes[b]}) <= charge.shape(0),
                "there must be a number for each box.");
    }
    require(chosen.shape(0) == out.shape(0) && chosen.shape(1) == out.shape(1), "there must be room for every draw.");
    for (std::size_t i = 0; i < chosen.size(); ++i)
        require(chosen.data()[i] >= 0 && static_cast<std::size_t>(chosen.data()[i]) < n_pairs, "there is no such pair.");
    const DealtPeople people = dealt_people(starts, yes, values, weights, clusters, codes);
    nb::gil_scoped_release release;
    deal_pairs(people, codes.data(), all, {n_pairs, pairs.data(), first.data(), {above.data(), below.data(), charge.data()}},
               chosen.data(), chosen.shape(1), out.shape(0), seed, out.data());
}

using Floats = nb::ndarray<float, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

void call_region_maxima(nb::ndarray<const float, nb::ndim<3>, nb::c_contig, nb::device::cpu> draws, const Axes& axes,
                        Vector<float> above, Vector<float> below, Vector<float> charge, Floats largest) {
    std::size_t n_cells = 1;
    for (const auto& [size, categorical] : axes) {
        require(size >= 1 && (!categorical || size <= 64), "an axis has a cell, and a category 64 levels at most.");
        n_cells *= size;
    }
    require(!axes.empty() && draws.shape(1) == n_cells, "there must be a number for each cell of the grid.");
    require(draws.shape(2) == kRegionDraws, "draws come in blocks of sixteen.");
    require(largest.shape(0) == draws.shape(0) * kRegionDraws, "there must be room for every draw.");
    const std::size_t regions = n_regions(axes);
    require(above.shape(0) == regions && below.shape(0) == regions && charge.shape(0) == regions,
            "there must be a number for each region.");
    nb::gil_scoped_release release;
    region_maxima(draws.data(), draws.shape(0), axes, {above.data(), below.data(), charge.data()}, largest.data());
}

}  // namespace

NB_MODULE(_kernels, m) {
    m.doc() = "Inner loops of fairgroups.";
    m.def("end_threads", [](bool end) { asked_to_end = end; }, "end"_a);
    m.def("best_segments", &call<best_segments>, "a"_a, "b"_a, "rows"_a, "n_groups"_a, "min_rows"_a, "min_b"_a,
          "most_work"_a = 0.0);
    m.def("best_sorted", &call<best_sorted>, "a"_a, "b"_a, "rows"_a, "n_groups"_a, "min_rows"_a, "min_b"_a,
          "most_work"_a = 0.0);
    m.def("best_increasing", &call<best_increasing>, "a"_a, "b"_a, "rows"_a, "n_groups"_a, "min_rows"_a, "min_b"_a,
          "most_work"_a = 0.0);
    m.def("isotonic_blocks", &call_isotonic, "a"_a, "b"_a);
    m.def("best_boxes", &call_boxes, "a"_a, "b"_a, "rows"_a, "axes"_a, "n_groups"_a, "min_rows"_a, "min_b"_a,
          "width"_a, "progress"_a);
    m.def("best_frontiers", &call_frontiers, "sums"_a, "rows"_a, "axes"_a, "n_groups"_a, "min_rows"_a, "min_b"_a,
          "against_rest"_a, "width"_a, "progress"_a);
    m.def("cell_maxima", &call_cell_maxima, "prefix"_a, "sizes"_a, "rate"_a, "weight"_a);
    m.def("most_different", &call_most_different, "a"_a, "b"_a, "bb"_a, "rows"_a, "start"_a, "stop"_a, "quantile"_a,
          "penalty"_a, "least_root"_a, "n"_a, "all_rows"_a, "equal_weights"_a, "scale"_a, "min_rows"_a, "min_b"_a, "decide"_a);
    m.def("box_maxima", &call_box_maxima, "drift"_a, "sums"_a, "axes"_a, "rate"_a, "weight"_a, "equal_weights"_a,
          "n"_a = 0.0, "reached"_a = nb::none());
    m.def("most_different_box", &call_most_different_box, "sums"_a, "axes"_a, "quantile"_a, "penalty"_a,
          "least_root"_a, "n"_a, "all_rows"_a, "equal_weights"_a, "scale"_a, "min_rows"_a, "min_b"_a);
    m.def("deal_sums", &call_deal_sums, "starts"_a, "yes"_a.none(), "values"_a.none(), "weights"_a.none(),
          "clusters"_a.none(), "codes"_a, "sizes"_a, "out"_a, "seed"_a);
    m.def("deal_pairs", &call_deal_pairs, "starts"_a, "yes"_a.none(), "values"_a.none(), "weights"_a.none(),
          "clusters"_a.none(), "codes"_a, "axes"_a, "pairs"_a, "first"_a, "above"_a, "below"_a, "charge"_a, "chosen"_a, "out"_a,
          "seed"_a);
    m.def("region_maxima", &call_region_maxima, "draws"_a, "axes"_a, "above"_a, "below"_a, "charge"_a, "largest"_a);
    m.def("window_maxima", &call_window_maxima, "prefix"_a, "lengths"_a, "rate"_a);
    m.def("gaussian_window_maxima", &call_gaussian_maxima, "prefix"_a, "lengths"_a);
}

}  // namespace fairgroups
