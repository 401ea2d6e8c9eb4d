"""The report in a real browser: it opens offline, its controls work, and what it computes is what the library does."""

import numpy as np
import pytest

from fairgroups import audit, make_synthetic, tradeoff

DATA = make_synthetic(6000, seed=1)
RNG = np.random.default_rng(0)
TABLE = {
    "tone": DATA.sensitive,
    "approved": DATA.outcome,
    "merited": (RNG.random(6000) < 0.5).astype(int),
    "weight": RNG.uniform(0.5, 2, 6000),
    "amount": RNG.normal(100 + 20 * (DATA.sensitive > 50), 15),
    "other": RNG.uniform(0, 10, 6000),
}


def found(**options):
    return audit(TABLE, **{"sensitive": "tone", "outcome": "approved", "checks": False, **options})


def rows(page):
    return page.locator("#now-groups tr").count()


def test_it_opens_offline_and_asks_for_nothing(open_page):
    with open_page(found(truth="merited")) as opened:
        assert [url.split("/")[-1] for url in opened.requests] == ["audit.html"]
        assert opened.complaints == []
        assert opened.page.locator(".still").first.is_hidden()
        assert opened.page.title() == "Fairness audit of approved by tone"


def test_the_first_screen_has_the_chart_and_the_people(open_page):
    with open_page(found(favourable=True)) as opened:
        page = opened.page
        assert page.locator("#hero-chart .level").count() == len(found().records)
        assert page.locator("#hero-chart").bounding_box()["y"] + 200 < page.viewport_size["height"]
        assert page.locator(".figures dt").count() == 4
        assert page.locator("#now-table").is_hidden()  # the audit's own groups stand in one table only
        page.locator("#groups").fill("1")
        assert page.locator("#now-table").is_visible()


def test_what_is_shown_can_be_taken_along(open_page):
    with open_page(found(scales={"law": [40]})) as opened:
        page = opened.page
        page.locator("#method").select_option(label="law")
        page.locator("#from").fill("62")
        assert "or over" in page.locator("#picked").text_content()
        page.locator("#as-link").click()
        page.wait_for_function("location.hash.startsWith('#look=')")
        said = page.locator("#picked").text_content()
        address = page.url
        page.goto("about:blank")
        page.goto(address)
        assert page.locator("#method option:checked").text_content() == "law"
        assert page.locator("#picked").text_content() == said
        with page.expect_download() as saved:
            page.locator("#as-csv").click()
        lines = saved.value.path().read_text(encoding="utf-8-sig").splitlines()
        assert lines[0].startswith("group,people,positive rate")
        assert len(lines) == 3
        with page.expect_download() as saved:
            page.locator("#as-png").click()
        assert saved.value.path().read_bytes()[:4] == b"\x89PNG"
        assert opened.complaints == []


def test_controls_move_the_pictures(open_page):
    result = found(truth="merited", scales={"three": [30, 60]})
    with open_page(result) as opened:
        page = opened.page
        chosen = len(result.records)
        assert rows(page) == chosen
        assert "this audit" in page.locator("#count").text_content()
        before = page.locator("#rate-chart").inner_html()
        page.locator("#groups").fill("1")  # the second of the path: two groups
        assert (
            rows(page) == page.locator("#rate-chart .level").count() == page.locator("#phi-chart .level").count() == 2
        )
        assert page.locator("#rate-chart").inner_html() != before
        page.locator("#method").select_option(label="Equal widths")
        assert rows(page) == 2
        page.locator("#method").select_option(label="three")
        assert rows(page) == 3
        assert page.locator("#groups").is_disabled()
        page.locator("#measure").select_option(index=1)
        assert "True positive rate" in page.locator("#now-rate").text_content()
        assert page.locator("#method option:checked").text_content() == "three"  # a scale that was chosen stays
        assert page.locator("#phi-chart .usual").count() == 0
        page.locator("#usual").check()
        assert page.locator("#phi-chart .usual").count() == rows(page)
        assert opened.complaints == []


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"weight": "weight"},
        {"truth": "merited", "measure": "error_rate"},
        {"outcome": "amount"},
        {"against": "rest"},
        {"level": 0.8},
    ],
)
def test_any_range_is_judged_as_the_library_does(open_page, options):
    result = found(**options)
    band = result.band
    script = """(pairs) => {
        const data = JSON.parse(document.getElementById("explorer-data").textContent);
        const ranges = new fairgroupsBand.Ranges(data.measures[0].band);
        return pairs.map(([low, high]) => {
            const [start, stop] = ranges.covered(low, high);
            const offset = data.measures[0].offset;
            const ends = {offset, first: ranges.band.first[start], last: ranges.band.last[stop - 1]};
            return {...ranges.judge(start, stop, data.against), ...ends};
        });
    }"""
    pairs = [[0, 100], [0, 10], [20, 40], [55, 56], [90, 100], [49.9, 75]]
    with open_page(result) as opened:
        told = opened.page.evaluate(script, pairs)
        for one in told:
            known = band.interval(one["first"], one["last"])
            assert one["n"] == known.n
            assert one["rate"] + one["offset"] == pytest.approx(known.rate, abs=1e-9 * (1 + abs(known.rate)))
            # stretches of several values tell a little less of where values scatter more
            close = 1e-6 if band.bounded else 0.02 * (known.rate_high - known.rate_low)
            ends = [known.rate_low, known.rate_high]
            assert [one["rateLow"] + one["offset"], one["rateHigh"] + one["offset"]] == pytest.approx(
                ends, rel=1e-6, abs=close
            )
            if options.get("against") != "rest":
                assert [one["low"], one["high"]] == pytest.approx([known.low, known.high], rel=1e-5, abs=close)
            elif known.n < 6000:
                assert one["phi"] == pytest.approx(known.phi / (1 - known.n / 6000), rel=1e-6)
        opened.page.locator("#from").fill("20")
        opened.page.locator("#to").fill("40")
        assert "although you picked the range" in opened.page.locator("#picked").text_content()


def test_a_range_is_picked_by_dragging(open_page):
    with open_page(found()) as opened:
        page = opened.page
        page.locator("#rate-chart").scroll_into_view_if_needed()
        box = page.locator("#rate-chart svg").bounding_box()
        page.mouse.move(box["x"] + 0.3 * box["width"], box["y"] + 150)
        page.mouse.down()
        page.mouse.move(box["x"] + 0.6 * box["width"], box["y"] + 150, steps=5)
        page.mouse.up()
        ends = [float(page.locator(name).input_value()) for name in ("#from", "#to")]
        assert 15 < ends[0] < 40 < 45 < ends[1] < 70
        assert page.locator("#rate-chart .picked").count() == 1
        page.locator("#clear").click()
        assert page.locator("#rate-chart .picked").count() == 0


def test_numbers_on_hover(open_page):
    with open_page(found()) as opened:
        page = opened.page
        assert page.locator("#marks option").count() == 1
        assert page.locator(".tip").first.is_hidden()
        page.locator("#phi-chart path").first.hover()
        told = page.locator("#phi-chart .tip").text_content()
        assert told.startswith("tone under")
        assert "lower" in told


def test_the_keyboard_is_enough(open_page):
    with open_page(found(truth="merited")) as opened:
        page = opened.page
        reached = []
        for _ in range(20):
            page.keyboard.press("Tab")
            reached.append(page.evaluate("document.activeElement.id"))
            if reached[-1] == "groups":
                before = rows(page)
                page.keyboard.press("ArrowLeft")
                assert rows(page) == before - 1
            if reached[-1] == "from":
                page.keyboard.type("30")
            if reached[-1] == "to":
                page.keyboard.type("50")
        assert {"measure", "method", "groups", "from", "to", "clear", "usual"} <= set(reached)
        assert "Tone from 29.9" in page.locator("#picked").text_content()


@pytest.mark.parametrize("attributes", ["tone", ["tone", "other"]])
def test_narrow_screens(open_page, attributes):
    with open_page(found(sensitive=attributes, n_groups=3, n_cells=8), width=360, height=700) as opened:
        assert opened.page.evaluate("document.documentElement.scrollWidth") <= 360
        assert opened.page.locator("#rate-chart svg").bounding_box()["width"] <= 340


def test_paper(open_page):
    with open_page(found(truth="merited", checks=True), width=794) as opened:
        page = opened.page
        pdf = page.pdf(format="A4")
        assert pdf.startswith(b"%PDF")
        page.emulate_media(media="print")
        page.set_viewport_size({"width": 680, "height": 1000})  # A4 less its margins
        assert page.evaluate("document.documentElement.scrollWidth") <= 680
        for box in page.evaluate(
            "[...document.querySelectorAll('svg')].map((s) => s.getBoundingClientRect()).filter((b) => b.width > 0)"
            ".map((b) => [b.right, b.height])"
        ):
            assert box[0] <= 681
            assert box[1] < 1000
        assert page.locator(".controls").first.is_hidden()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("attributes", ["tone", ["tone", "other"]])
def test_no_serious_fault_for_people_who_see_or_move_differently(open_page, scheme, attributes):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    options = {"sensitive": attributes, "n_cells": 8, "n_groups": 3, "checks": attributes == "tone", "truth": "merited"}
    with open_page(found(**options), scheme=scheme) as opened:
        if scheme == "dark":
            red, green, blue = opened.page.evaluate(
                "getComputedStyle(document.body).backgroundColor.match(/\\d+/g).map(Number)"
            )
            assert max(red, green, blue) < 60
        faults = axe.run(opened.page).response["violations"]
        serious = [
            f"{fault['id']}: {fault['nodes'][0]['html'][:200]}"
            for fault in faults
            if fault["impact"] in ("serious", "critical")
        ]
        assert serious == []


def test_the_plane(open_page):
    result = found(sensitive=["tone", "other"], n_groups=4, n_cells=8)
    with open_page(result) as opened:
        page = opened.page
        assert rows(page) == 4
        assert page.locator("#rate-chart .box").count() == 4
        page.locator("#groups").fill("1")
        assert rows(page) == page.locator("#rate-chart .box").count() == 2
        assert opened.complaints == []


@pytest.mark.parametrize("options", [{}, {"outcome": "amount"}, {"weight": "weight"}, {"against": "rest"}])
def test_any_box_is_judged_as_the_library_does(open_page, options):
    """Boxes that cut no joined cells are those of the library; all others are told as shares."""
    result = found(sensitive=["tone", "other"], n_groups=3, n_cells=8, **options)
    script = """(boxes) => {
        const data = JSON.parse(document.getElementById("explorer-data").textContent);
        const one = data.measures[0], all = new fairgroupsBand.Boxes(one.band);
        const told = boxes.map(([x0, x1, y0, y1]) => all.judge([[x0, x1]], [[y0, y1]], data.against));
        return [one.axes.map((a) => a.ends), one.offset, told];
    }"""
    boxes = [[0, 4, 0, 8], [2, 5, 3, 8], [0, 8, 6, 8], [1, 2, 1, 3]]
    with open_page(result) as opened:
        ends, offset, told = opened.page.evaluate(script, boxes)
        assert opened.complaints == []
    for (x0, x1, y0, y1), one in zip(boxes, told, strict=True):
        sides = []
        for axis, low, high in ((ends[0], x0, x1), (ends[1], y0, y1)):
            step = 1e-4 * (axis[-1] - axis[0])  # the page rounds the ends of cells
            last = None if high == len(axis) - 1 else axis[high] - step
            sides.append((None if low == 0 else axis[low] + step, last))
        known = result.band.interval(tone=sides[0], other=sides[1])
        assert not one["cut"]
        assert one["n"] == known.n
        assert one["rate"] + offset == pytest.approx(known.rate)
        close = 1e-6 if result.band.bounded else 0.03 * (known.rate_high - known.rate_low)
        if options.get("against") != "rest":
            assert [one["low"], one["high"]] == pytest.approx([known.low, known.high], rel=1e-5, abs=close)


@pytest.mark.parametrize(("n", "seed"), [(60, 0), (70, 3), (90, 1), (140, 2)])
def test_few_people_lie_where_the_map_says(open_page, n, seed):
    """Where few cells can be told, those that are drawn do not use every place of the map."""
    rng = np.random.default_rng(seed)
    table = {"age": rng.integers(18, 66, n), "tenure": rng.integers(0, 31, n)}
    table["fired"] = (table["age"] >= 50) & (table["tenure"] < 9)
    result = audit(table, sensitive=["age", "tenure"], outcome="fired", checks=False)
    measure = result.explored["measures"][0]
    places, people, ends = measure["band"]["places"], measure["band"]["sums"]["n"], measure["ends"]
    for (i0, i1, j0, j1), count in zip(places, people, strict=True):
        inside = np.ones(n, dtype=bool)
        for values, along, low, high in ((table["age"], ends[0], i0, i1), (table["tenure"], ends[1], j0, j1)):
            inside &= (values >= along[low]) & ((values < along[high]) | (high == len(along) - 1))
        assert inside.sum() == count
    with open_page(result) as opened:
        page = opened.page
        lengths = [len(along) - 1 for along in ends]
        for name, length in zip("xy", lengths, strict=True):
            assert page.locator(f"#{name}-to option").count() == length
        drawn, boxes = (
            page.evaluate(
                """(kind) => [...document.querySelectorAll(`#rate-chart rect.${kind}`)].map((one) => {
                    const { x, y, width, height } = one.getBBox(); return [x, y, x + width, y + height]; })""",
                kind,
            )
            for kind in ("cell", "box")
        )
        left, top, right, bottom = (f(box[k] for box in boxes) for k, f in enumerate((min, min, max, max)))
        for k, (x0, y0, x1, y1) in enumerate(drawn):  # cells first, then the strips along the edges
            across, up = left - 1 <= x0 <= x1 <= right + 1, top - 1 <= y0 <= y1 <= bottom + 1
            assert (across and up) if k < len(places) else across or up
        assert opened.complaints == []


def test_two_rates_have_each_its_own_map(open_page):
    rng = np.random.default_rng(0)
    n = 900
    table = {"age": rng.integers(18, 70, n), "pay": rng.lognormal(10, 0.6, n), "t": rng.random(n) < 0.12}
    table["y"] = rng.random(n) < np.where(table["age"] > 40, 0.7, 0.2)
    result = audit(table, sensitive=["age", "pay"], outcome="y", truth="t", measure="equalized_odds", checks=False)
    maps = [measure["ends"] for measure in result.explored["measures"]]
    with open_page(result) as opened:
        page = opened.page
        for k, ends in enumerate(maps):
            page.locator("#measure").select_option(str(k))
            assert page.locator("#x-to option").count() == len(ends[0]) - 1
            page.locator("#x-to").select_option("1")
            assert (
                "although you picked" in page.locator("#picked").text_content()
                or "too" in page.locator("#picked").text_content()
            )
        assert opened.complaints == []


def test_a_box_is_drawn_by_dragging_and_by_keyboard(open_page):
    with open_page(found(sensitive=["tone", "other"], n_groups=3)) as opened:
        page = opened.page
        assert "Drag across the map" in page.locator("#picked").text_content()
        page.locator("#rate-chart").scroll_into_view_if_needed()
        chart = page.locator("#rate-chart svg").bounding_box()
        page.mouse.move(chart["x"] + 0.3 * chart["width"], chart["y"] + 0.4 * chart["height"])
        page.mouse.down()
        page.mouse.move(chart["x"] + 0.6 * chart["width"], chart["y"] + 0.7 * chart["height"], steps=4)
        page.mouse.up()
        assert page.locator("#rate-chart .picked-box").count() == 1
        told = page.locator("#picked").text_content()
        assert "although you picked the box" in told
        page.locator("#x-from").select_option("0")
        assert page.locator("#picked").text_content() != told
        page.locator("#clear").click()
        assert page.locator("#rate-chart .picked-box").count() == 0
        assert opened.complaints == []


def test_a_box_takes_all_of_the_cells_that_it_cuts(open_page):
    level = RNG.choice(list("abr"), TABLE["tone"].size, p=[0.6, 0.37, 0.03])
    audited = audit(TABLE | {"level": level}, sensitive=["tone", "level"], outcome="approved", checks=False)
    places = audited.explored["measures"][0]["band"]["places"]
    (first, stop, *_) = next(place for place in places if place[1] - place[0] > 1)
    with open_page(audited) as opened:
        page = opened.page
        page.locator("#x-from").select_option(str(first + 1))
        assert int(page.locator("#x-from").input_value()) <= first
        assert int(page.locator("#x-to").input_value()) >= stop
        told = page.locator("#picked").text_content()
        assert "cannot be told" not in told
        assert "positive rate" in told
        assert opened.complaints == []


def test_any_levels_of_a_category_make_a_box(open_page):
    """Levels that are no neighbours, judged as the library judges them; the link leads back to them."""
    level = RNG.choice(list("abcd"), TABLE["tone"].size)
    people = TABLE | {"level": level}
    result = audit(people, sensitive=["tone", "level"], outcome="approved", checks=False, n_groups=3)
    with open_page(result) as opened:
        page = opened.page
        assert page.locator("#y-levels label").all_text_contents() == [" a", " b", " c", " d"]
        assert not page.locator("#y-range").is_visible()
        for tick in (1, 3):
            page.locator("#y-levels input").nth(tick).uncheck()
        told = page.locator("#picked").text_content()
        assert page.locator("#rate-chart .picked-box").count() == 2
        page.locator("#as-link").click()
        page.locator("#clear").click()
        assert "Drag across the map" in page.locator("#picked").text_content()
        assert page.locator("#y-levels input:checked").count() == 4
        page.locator("#y-levels input").nth(0).uncheck()
        assert "evel not a:" in page.locator("#picked").text_content()
        assert opened.complaints == []
    known = result.band.interval(level=["a", "c"])
    assert told.startswith("Level a or c: ")
    assert f"positive rate {100 * known.rate:.1f}%" in told
    ends = [f"{100 * abs(x):.1f}" for x in (known.low, known.high)]
    assert all(end in told for end in ends), (told, ends)


def test_a_repair_has_its_slider(open_page):
    scored = {**TABLE, "score": np.clip(RNG.normal(0.3 + TABLE["tone"] / 250, 0.2), 0, 1)}
    tried = tradeoff(scored, score="score", sensitive="tone", truth="merited", max_gap=(0, 0.1))
    with open_page(found(), repair=tried) as opened:
        page = opened.page
        frames = page.locator("#repair-frames > div")
        assert [frames.nth(i).is_visible() for i in range(2)] == [True, False]
        page.locator("input[data-frames]").fill("1")
        assert [frames.nth(i).is_visible() for i in range(2)] == [False, True]
        assert page.locator("#repair-frames-told").text_content() == "10 points"
        assert opened.complaints == []


@pytest.mark.parametrize(
    ("favourable", "low", "high"),
    [(True, "rgb(213, 94, 0)", "rgb(0, 114, 178)"), (False, "rgb(0, 114, 178)", "rgb(213, 94, 0)"), (None, None, None)],
)
def test_orange_is_harm_whichever_way_the_rate_points(open_page, favourable, low, high):
    result = found(sensitive=["tone", "other"], n_groups=2, favourable=favourable)
    script = "(all) => all.map((one) => getComputedStyle(one).fill)"
    with open_page(result) as opened:
        fills = opened.page.eval_on_selector_all("#rate-chart .swatch", script)
        assert len(fills) == 3
        if favourable is None:
            assert not {"rgb(213, 94, 0)", "rgb(0, 114, 178)"} & {fills[0], fills[2]}
        else:
            assert (fills[0], fills[2]) == (low, high)
        bars = opened.page.eval_on_selector_all("#phi-chart path", script)
        verdicts = [record.verdict for record in result.records]
        harmed = [bar for bar, verdict in zip(bars, verdicts, strict=True) if verdict == "disadvantaged"]
        assert set(harmed) <= {"rgb(213, 94, 0)"}
