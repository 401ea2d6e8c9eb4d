"""Dates as people write them, in any column of a file."""

import itertools

import numpy as np
import pytest

import fairgroups as fg

RNG = np.random.default_rng(0)
N = 600
DAYS = np.datetime64("1960-01-01") + RNG.integers(0, 20_000, N)
COLUMNS = {
    "dob": DAYS.astype(str).tolist(),
    "hired": [f"{d[8:]}.{d[5:7]}.{d[:4]}" for d in DAYS.astype(str).tolist()],
    "left": [f"{int(d[5:7])}/{int(d[8:])}/{d[:4]}" for d in DAYS.astype(str).tolist()],
    "age": RNG.integers(18, 70, N).tolist(),
    "ok": RNG.integers(0, 2, N).tolist(),
}


def kinds(path, names, **more):
    rows = zip(*(COLUMNS[name] for name in names), strict=True)
    path.write_text("\n".join([",".join(names), *(",".join(map(str, row)) for row in rows)]))
    found = fg.scan(path, outcome="ok", pairs=False, **more)
    return {check.name: check.kind for check in found.columns}, found.data.converted


ORDERS = [*itertools.permutations(["dob", "hired", "left"]), ("hired", "age"), ("age", "left")]


@pytest.mark.parametrize("names", ORDERS)
def test_every_column_has_its_own_way(names, tmp_path):
    found, told = kinds(tmp_path / "people.csv", [*names, "ok"])
    assert {found[name] for name in names if name != "age"} == {"date"}
    for name, order in (("hired", "day, month, year"), ("left", "month, day, year")):
        assert (name not in names) or any(line.startswith(f"{name}: ") and f"as {order}." in line for line in told)


def test_what_may_be_read_in_two_ways_is_left_as_it_is(tmp_path):
    unclear = [f"{1 + i % 12:02}/{1 + i % 11:02}/2020" for i in range(N)]
    COLUMNS["unclear"] = unclear
    found, _ = kinds(tmp_path / "people.csv", ["dob", "unclear", "ok"])
    assert found["unclear"] == "text"
    said = fg.scan(tmp_path / "people.csv", outcome="ok", pairs=False).conclusion
    assert "unclear was left out: its texts look like dates. Convert it to look at it." in said
    COLUMNS["name"] = [f"{i} Main Street" for i in range(N)]
    assert kinds(tmp_path / "people.csv", ["dob", "name", "ok"])[0]["name"] == "text"


def test_strict_refuses_dates_that_are_converted(tmp_path):
    kinds(tmp_path / "people.csv", ["dob", "hired", "ok"])
    with pytest.raises(fg.InputError, match="day, month, year"):
        fg.scan(fg.Source(tmp_path / "people.csv", strict=True), outcome="ok")
