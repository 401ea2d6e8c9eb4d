"""The same rows through every engine give equal cells, groups and verdicts."""

import sqlite3

import numpy as np
import pytest

import engine_tables as engines
from fairgroups import Cells, FairGroups, FairKMeans, InputError, ScoreRepair, Source, audit

EAGER = ["lists", "numpy", "pandas", "pandas_arrow", "polars", "pyarrow"]
LAZY = ["polars_lazy", "duckdb", "ibis", "dask", "pyspark"]
CASES = {
    "parity": {"outcome": "chosen"},
    "opportunity": {"outcome": "chosen", "truth": "truth", "measure": "equal_opportunity"},
    "score": {"outcome": "score"},
    "weights": {"outcome": "chosen", "weight": "weight"},
    "crossfit": {"outcome": "chosen", "inference": "crossfit"},
    "given": {"outcome": "chosen", "partition": [40.005, 60]},
}


@pytest.fixture(scope="session")
def expected(people):
    return {name: audit(people, sensitive="age", checks=False, **options) for name, options in CASES.items()}


@pytest.fixture(scope="module", params=[*EAGER, *LAZY])
def table(request, people, parquet):
    return getattr(engines, f"as_{request.param}")(people, parquet)


def same(found, known):
    assert found.partition == known.partition
    assert [r.verdict for r in found.records] == [r.verdict for r in known.records]
    for key in ("n", "rate", "phi", "low", "high"):
        assert [getattr(r, key) for r in found.records] == pytest.approx(
            [getattr(r, key) for r in known.records], rel=1e-4
        )


@pytest.mark.filterwarnings("ignore")
def test_equal_cells_groups_and_verdicts(table, people, expected):
    cells = Cells.from_frame(table, sensitive="age", outcome="chosen", truth="truth", measure=["statistical_parity"])
    assert cells == Cells.from_frame(
        people, sensitive="age", outcome="chosen", truth="truth", measure=["statistical_parity"]
    )
    for name, options in CASES.items():
        same(audit(table, sensitive="age", checks=False, **options), expected[name])


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("engine", ["polars_lazy", "duckdb"])
def test_the_same_boxes_in_the_plane(engine, people, tmp_path):
    rng = np.random.default_rng(1)
    whole = people[:40_000].assign(age=people["age"].round(), hours=rng.integers(10, 60, 40_000))
    whole.to_parquet(tmp_path / "whole.parquet")
    frame = getattr(engines, f"as_{engine}")(whole, tmp_path / "whole.parquet")
    options = {"sensitive": ["age", "hours"], "outcome": "chosen", "checks": False}
    here, there = (audit(table, **options) for table in (whole, frame))
    assert here.settings.inference == there.settings.inference == "band"
    assert here.data.rows == there.data.rows
    assert here.partition == there.partition
    assert [r.low for r in here.records] == pytest.approx([r.low for r in there.records], rel=1e-9)
    assert [one.p_value for one in here.added] == [one.p_value for one in there.added]


DEALT = {"sensitive": "age", "outcome": "chosen", "inference": "crossfit", "checks": False}


@pytest.fixture(scope="session")
def dealt(people):
    return audit(people, **DEALT, key="who")


@pytest.fixture(scope="session")
def sums_of_scores(people, parquet):
    return Cells.from_frame(engines.as_polars_lazy(people, parquet), sensitive="age", outcome="score")


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("engine", LAZY)
def test_the_same_halves_by_id_and_the_same_sums(engine, people, parquet, dealt, sums_of_scores):
    frame = getattr(engines, f"as_{engine}")(people, parquet)
    same(audit(frame, **DEALT, key="who"), dealt)
    assert Cells.from_frame(frame, sensitive="age", outcome="score") == sums_of_scores  # to the last digit


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("engine", LAZY)
def test_ids_that_are_numbers_or_cannot_be_used(engine, people, tmp_path):
    some = people[:4000].assign(who=np.arange(4000) * 3, odd=np.arange(4000) / 7)
    some["none"] = np.where(some["who"] > 50, some["who"].astype(str), None)
    some.to_parquet(tmp_path / "some.parquet")
    frame = getattr(engines, f"as_{engine}")(some, tmp_path / "some.parquet")
    same(audit(frame, **DEALT, key="who"), audit(some, **DEALT, key="who"))
    with pytest.raises(InputError, match="text or whole numbers"):
        audit(frame, **DEALT, key="odd")
    with pytest.raises(InputError, match="give everybody one"):
        audit(frame, **DEALT, key="none")
    with pytest.raises(InputError, match="did you mean 'who'"):
        audit(frame, **DEALT, key="whom")


@pytest.mark.filterwarnings("ignore")
def test_ids_in_databases_and_large_files(server, people, dealt, parquet, tmp_path, monkeypatch):
    same(audit(Source(server, table="everybody"), **DEALT, key="who"), dealt)
    with sqlite3.connect(tmp_path / "people.sqlite") as connection:
        people.to_sql("people", connection)
    same(audit(Source(f"sqlite:///{tmp_path}/people.sqlite", table="people"), **DEALT, key="who"), dealt)
    monkeypatch.setattr("fairgroups.reading.LARGE", 1000)
    same(audit(parquet, **DEALT, key="who"), dealt)


def test_a_database_gives_the_same(server, people, expected):
    source = Source(server, table='pe"ople; --')
    for name in ("parity", "opportunity", "given"):
        found = audit(source, sensitive="age", checks=False, **CASES[name])
        same(found, expected[name])
        cells = Cells.from_frame(source, sensitive="age", outcome="chosen")
        assert cells == Cells.from_frame(people, sensitive="age", outcome="chosen")
        assert "s3cret" not in found.data.source + str(source)
    some = audit(Source(server, table="everybody", where="sex = 'f'"), sensitive="age", outcome="chosen", checks=False)
    assert 90_000 < some.data.rows < 110_000
    with pytest.raises(InputError) as wrong:
        audit(Source(server, table="nobody"), sensitive="age", outcome="chosen")
    assert "s3cret" not in str(wrong.value)
    with pytest.raises(InputError, match="did you mean 'chosen'"):
        audit(source, sensitive="age", outcome="chosn")


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("engine", ["polars_lazy", "duckdb"])
def test_estimators_and_several_attributes(engine, people, parquet):
    frame = getattr(engines, f"as_{engine}")(people, parquet)
    names = ["age", "chosen"]
    lazy = frame.select(names) if engine == "polars_lazy" else frame.project("age, chosen")
    found = FairGroups(3).fit(lazy, "chosen")
    known = FairGroups(3).fit(people[["age"]], people["chosen"])
    assert found.partition_ == known.partition_
    assert found.predict(people[["age"]]).tolist() == known.predict(people[["age"]]).tolist()
    both = audit(frame, sensitive=["age", "sex"], outcome="chosen", n_groups=2, checks=False)
    assert 54 < both.partition.groups[1][0][0].low < 56
    with pytest.raises(InputError, match="must be the name"):
        FairGroups(3).fit(lazy, people["chosen"])


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    "values",
    [
        lambda rng, n: rng.pareto(1.1, n) + 1,
        lambda rng, n: rng.lognormal(10, 1.5, n),
        lambda rng, n: np.where(rng.random(n) < 0.6, 0, rng.lognormal(8, 2, n)),
        lambda rng, n: rng.integers(0, 100_000, n).astype(float),
        lambda rng, n: rng.standard_cauchy(n),
    ],
    ids=["pareto", "lognormal", "zeros", "integers", "cauchy"],
)
def test_heavy_tails_lose_next_to_nothing(values):
    polars = pytest.importorskip("polars")
    rng = np.random.default_rng(0)
    n = 300_000
    x = values(rng, n)
    y = (rng.random(n) < 0.3 + 0.2 * (np.argsort(np.argsort(x)) > 0.8 * n)).astype(int)
    frame = polars.DataFrame({"x": x, "y": y})
    cells = Cells.from_frame(frame.lazy(), sensitive="x", outcome="y")
    best = FairGroups(5, min_group_size=100).fit(frame.select("x"), frame["y"])
    found = FairGroups(5, min_group_size=100).fit(frame.lazy(), "y")
    variance = float(np.var(y))
    lost = (best.variance_ - found.variance_) / variance
    assert -1e-12 <= lost <= 1e-4
    assert lost <= cells.loss("statistical_parity", 5) <= 0.01


def test_faults_are_told(tmp_path, people):
    polars = pytest.importorskip("polars")
    lazy = polars.from_pandas(people[:1000]).lazy()
    cases = [
        ({"sensitive": "ag", "outcome": "chosen"}, "did you mean 'age'"),
        ({"sensitive": "sex", "outcome": "chosen", "partition": [3]}, "is a category"),
        ({"sensitive": "age", "outcome": "chosen", "truth": "score", "measure": "precision"}, "needs a yes/no truth"),
    ]
    for options, message in cases:
        with pytest.raises(InputError, match=message):
            audit(lazy, **options)
    for options in ({"outcome": "chosen", "cluster": "sex"}, {"outcome": "score", "weight": "weight"}):
        found = audit(lazy, sensitive="age", checks=False, **options)  # counts cannot answer: the rows are read
        assert found.notes[0].startswith("The 1,000 rows were read into memory")
    empty = lazy.with_columns(age=polars.lit(None, polars.Float64))
    with pytest.raises(InputError, match="every value of 'age' is missing"):
        audit(empty, sensitive="age", outcome="chosen")
    holes = lazy.with_columns(age=polars.when(polars.col("age") > 50).then(polars.col("age")))
    with pytest.raises(InputError, match="missing value"):
        audit(holes, sensitive="age", outcome="chosen")
    left = audit(holes, sensitive="age", outcome="chosen", missing="drop", checks=False)
    assert left.data.dropped["age"] == (people[:1000]["age"] <= 50).sum()


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("engine", ["polars_lazy", "duckdb", "dask", "pyspark"])
def test_scores_are_repaired_where_they_are(engine, people, parquet):
    frame = getattr(engines, f"as_{engine}")(people, parquet)
    select = {"duckdb": lambda x: x.project("score, age"), "dask": lambda x: x[["score", "age"]]}
    chosen = select.get(engine, lambda x: x.select("score", "age"))(frame)
    known = ScoreRepair([40, 60], max_gap=0.02).fit(people["score"], sensitive=people["age"])
    found = ScoreRepair([40, 60], max_gap=0.02).fit(chosen, sensitive="age")
    here = known.transform(people["score"], sensitive=people["age"])
    assert np.abs(found.transform(people["score"], sensitive=people["age"]) - here).mean() < 5e-4
    assert found.gap_ == pytest.approx(known.gap_, abs=0.003)
    lazy = found.transform(chosen, sensitive="age")
    rows = {
        "polars_lazy": lambda x: x.collect().to_pandas(),
        "duckdb": lambda x: x.df(),
        "dask": lambda x: x.compute(),
        "pyspark": lambda x: x.toPandas(),
    }[engine](lazy)
    again = found.transform(rows["score"].to_numpy(), sensitive=rows["age"].to_numpy())
    assert np.array_equal(rows["fair_score"].to_numpy(), again)
    with pytest.raises(InputError, match="select the columns first"):
        found.transform(frame, sensitive="age")
    with pytest.raises(InputError, match="must be the name"):
        ScoreRepair([40]).fit(chosen, sensitive=people["age"])


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("engine", ["polars_lazy", "duckdb", "ibis", "dask", "pyspark"])
def test_labels_of_text_and_truth(engine, people, tmp_path):
    told = people[:5000].assign(
        chosen=np.where(people[:5000]["chosen"] == 1, "yes", "no"), truth=people[:5000]["truth"] == 1
    )
    told.to_parquet(tmp_path / "told.parquet")
    frame = getattr(engines, f"as_{engine}")(told, tmp_path / "told.parquet")
    options = {"sensitive": "age", "outcome": "chosen", "positive": "yes", "checks": False}
    same(audit(frame, **options), audit(told, **options))
    plain = audit(frame, sensitive="age", outcome="chosen", checks=False)
    same(plain, audit(told, **options))
    assert plain.data.converted == ("chosen: 'yes' was read as yes and 'no' as no.",)


def test_estimators_do_not_collect(people):
    lazy = pytest.importorskip("polars").from_pandas(people[["age", "chosen"]]).lazy()
    with pytest.raises(InputError, match="not collected"):
        FairKMeans(2).fit(lazy, "chosen")
    with pytest.raises(InputError, match="not collected"):
        FairGroups(2).fit(lazy, "chosen").predict(lazy.select("age"))


@pytest.mark.filterwarnings("ignore::fairgroups.FairnessWarning")
@pytest.mark.parametrize("options", [{}, {"max_gap": 0.05}, {"partition": "auto"}])
def test_postgresql_gives_the_very_same_fair_scores(server, people, options):
    psycopg = pytest.importorskip("psycopg")
    some = people[:2000]
    score = some["score"].round(2)  # many share a score
    repair = ScoreRepair(**{"partition": [40, 60], "n_levels": 200, **options}).fit(score, sensitive=some["age"])
    short = "round(cast(score as numeric), 2) AS short, row_number() OVER () AS id"
    rows = f"(SELECT *, {short} FROM everybody LIMIT 2000)"
    query = repair.to_sql(rows, score="short", sensitive="age", key="id", dialect="postgresql")
    with psycopg.connect(server) as connection:
        there = np.array(connection.execute(query).fetchall(), dtype=float)
    here = repair.transform(there[:, 2], sensitive=there[:, 1], key=there[:, 0].astype(int))
    assert len(there) == 2000
    assert np.array_equal(here, there[:, 3])
