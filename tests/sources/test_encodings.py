import gzip

import pytest

from fairgroups.sources.encodings import as_utf8, encoding_of

TEXT = "größe,prénom\n12,Zoë\n13,naïve €\n"


@pytest.mark.parametrize(
    ("encoding", "found"),
    [
        ("utf-8", "utf-8"),
        ("utf-8-sig", "utf-8-sig"),
        ("cp1252", "cp1252"),
        ("utf-16", "utf-16"),
        ("utf-16-le", "utf-16-le"),
        ("utf-16-be", "utf-16-be"),
    ],
)
def test_encodings_are_told_by_their_bytes(tmp_path, encoding, found):
    path = tmp_path / "a.csv"
    path.write_bytes(TEXT.encode(encoding))
    assert encoding_of(path) == found
    (tmp_path / "new").mkdir()
    plain, told = as_utf8(path, tmp_path / "new")
    assert plain.read_text(encoding="utf-8-sig") == TEXT
    assert (told is None) == encoding.startswith("utf-8")


def test_bytes_that_windows_has_not_are_latin(tmp_path):
    (tmp_path / "a.csv").write_bytes(b"a\n\xe4\x81\n")
    assert encoding_of(tmp_path / "a.csv") == "latin-1"


def test_packed_files_are_looked_into(tmp_path):
    with gzip.open(tmp_path / "a.csv.gz", "wb") as file:
        file.write(TEXT.encode("cp1252"))
    (tmp_path / "new").mkdir()
    plain, told = as_utf8(tmp_path / "a.csv.gz", tmp_path / "new")
    assert plain.read_text(encoding="utf-8") == TEXT
    assert told.startswith("The file is not in UTF-8, and was taken to be in Windows-1252.")
