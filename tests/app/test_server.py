"""The page as a program sees it: what is let in, what goes out, and to whom."""

import time

import numpy as np
import pytest

RNG = np.random.default_rng(0)
AGE = RNG.integers(18, 80, 3000)
CSV = "age,ok\n" + "\n".join(f"{a},{'ja' if RNG.random() < 0.5 - 0.3 * (a < 30) else 'nein'}" for a in AGE)


def drop(client, text=CSV, name="people.csv"):
    return client.post(f"{client.root}/tables", content=text, headers={"x-name": name})


def finished(client, job):
    for _ in range(400):
        told = client.get(f"{client.root}/jobs/{job}").json()
        if told["state"] != "running":
            return told
        time.sleep(0.05)
    raise AssertionError("it never ended")


def test_a_table_becomes_a_report(client):
    table = drop(client).json()["table"]
    told = client.get(f"{client.root}/tables/{table}").json()
    assert told["rows"] == 3000
    assert [column["name"] for column in told["columns"]] == ["age", "ok"]
    assert told["columns"][0]["protected"] == "age"
    asked = {"table": table, "sensitive": ["age"], "outcome": "ok", "favourable": "good", "missing": "drop"}
    job = client.post(f"{client.root}/jobs", json_=asked).json()["job"]
    told = finished(client, job)
    assert told["state"] == "done", told
    assert "age is under 30 are disadvantaged" in told["said"]
    assert told["command"] == (
        "fairgroups audit people.csv --sensitive=age --outcome=ok --favourable --missing=drop --out=audit.html"
    )
    page = client.get(f"{client.root}/jobs/{job}/report.html")
    assert "disadvantaged" in page.text
    assert page.headers["content-security-policy"].startswith("sandbox")
    saved = client.get(f"{client.root}/jobs/{job}/report.json?save")
    assert saved.headers["content-disposition"] == 'attachment; filename="report.json"'


def test_only_who_knows_the_address_comes_in(client, desk):
    for path in ("/", "/start", "/wrong/start", f"/{desk.secret[:-1]}/start"):
        assert client.get(path).status_code == 404
    assert client.get(f"{client.root}/start", headers={"host": "evil.example"}).status_code == 400
    assert client.get(f"{client.root}/start").headers["cache-control"] == "no-store"
    policy = client.get(f"{client.root}/").headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy


@pytest.mark.parametrize("name", ["../../etc/passwd", "a.exe", "", "people.csv/../x.sh", "%2e%2e%2fpasswd"])
def test_no_other_file_is_let_in(client, name):
    answer = drop(client, name=name)
    assert answer.status_code == 400
    assert "no table" in answer.json()["error"]


def test_names_stay_in_their_folder(client, desk):
    table = drop(client, name="../../../people (1).csv").json()["table"]
    assert desk.tables[table].path.parent.parent == desk.folder
    assert desk.tables[table].path.name == "people (1).csv"


def test_no_other_file_goes_out(client):
    table = drop(client).json()["table"]
    job = client.post(f"{client.root}/jobs", json_={"table": table, "sensitive": ["age"], "outcome": "ok"}).json()[
        "job"
    ]
    finished(client, job)
    for path in ("../../secret", "..%2f..%2fsecret", "report.html/../../x", "people.csv"):
        assert client.get(f"{client.root}/jobs/{job}/{path}").status_code in (400, 404), path


def test_sizes_are_limited(client, desk):
    desk.largest = 1000
    answer = drop(client)
    assert answer.status_code == 400
    assert "larger than" in answer.json()["error"]
    assert not list(desk.folder.rglob("*.csv"))


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"sensitive": ["age"], "outcome": "ok", "out": "/tmp/x.html"}, "which it may not"),
        ({"sensitive": ["age"], "outcome": "ok", "sql": "select 1"}, "which it may not"),
        ({"sensitive": ["age"]}, "what is decided"),
        ({"outcome": "ok"}, "told apart"),
        ({"sensitive": {"a": 1}, "outcome": "ok"}, "which it may not"),
    ],
)
def test_nothing_else_can_be_asked_for(client, asked, said):
    table = drop(client).json()["table"]
    answer = client.post(f"{client.root}/jobs", json_={"table": table, **asked})
    assert answer.status_code == 400
    assert said in answer.json()["error"]


def test_errors_help(client):
    table = drop(client, CSV.replace("18", "unknown", 1)).json()["table"]
    job = client.post(f"{client.root}/jobs", json_={"table": table, "sensitive": ["age"], "outcome": "--out"}).json()[
        "job"
    ]
    told = finished(client, job)
    assert told["state"] == "failed"
    assert "there is no column '--out'" in told["said"]
    assert client.post(f"{client.root}/jobs", content=b"{").status_code == 400
    assert client.get(f"{client.root}/tables/77").json()["error"] == "that is not here any more."
    table = drop(client, "no workbook", "a.xlsx").json()["table"]
    assert "cannot read the workbook" in client.get(f"{client.root}/tables/{table}").json()["error"]


def test_long_work_can_be_stopped(client):
    rows = "\n".join(f"{a},{b},{c},{a % 2}" for a, b, c in RNG.random((60_000, 3)).round(6))
    table = drop(client, "a,b,c,ok\n" + rows).json()["table"]
    asked = {"table": table, "sensitive": ["a", "b", "c"], "outcome": "ok", "threshold": 0.5}
    job = client.post(f"{client.root}/jobs", json_=asked).json()["job"]
    told = client.post(f"{client.root}/jobs/{job}/stop").json()
    assert told["state"] == "stopped"
    assert told["outputs"] == {}
