"""The protocol end to end on drawn faces whose label depends on tone; killed half-way; other people scored."""

import os
import signal
import subprocess
import sys
import time

import duckdb
import numpy as np
import pytest

pytest.importorskip("PIL", reason="needs Pillow (the extra skin)")
pytest.importorskip("skimage", reason="needs scikit-image (the extra skin)")
torch = pytest.importorskip("torch", reason="needs torch (the extra faces)")

from PIL import Image

from drawn_faces import draw_face
from fairgroups import InputError
from fairgroups.faces.network import ResNet18, start_weights, to_arrays

LIGHT, DARK = np.array([244, 214, 190]), np.array([70, 46, 34])


def draw_celeba(folder, n, seed=0):
    """Draw a folder in CelebA's layout: 'Attractive' is marked more often for lighter faces, 'Male' at random."""
    rng = np.random.default_rng(seed)
    (folder / "img_align_celeba").mkdir(parents=True)
    rows = []
    for i in range(n):
        share = rng.random()
        name = f"{i + 1:06d}.jpg"
        Image.fromarray(draw_face(DARK + share * (LIGHT - DARK), 72, shading=0.3, noise=0.03, seed=i)).save(
            folder / "img_align_celeba" / name, quality=92
        )
        attractive = 1 if rng.random() < 0.1 + 0.8 * (share > 0.5) else -1
        rows.append(f"{name} {attractive:>2} {1 if rng.random() < 0.2 else -1:>2}")
    (folder / "list_attr_celeba.txt").write_text("\n".join([str(n), "Attractive Male", *rows]) + "\n")
    return folder


@pytest.fixture(scope="module")
def celeba(tmp_path_factory):
    folder = draw_celeba(tmp_path_factory.mktemp("celeba"), 300)
    (folder / "img_align_celeba" / "000007.jpg").write_bytes(b"broken")
    return folder


def command(celeba, work, out, *more):
    return [
        *(sys.executable, "-W", "ignore", "-m", "fairgroups.cli", "faces", "train", "--celeba", str(celeba)),
        *("--only-women", "--work", str(work), "--out", str(out), "--size", "48", "--device", "cpu"),
        *("--learning-rate", "1e-3", "--weights", "random", "--finder", "aligned", *more),
    ]


SHORT = ("--folds", "3", "--epochs", "2", "--bins", "5")


@pytest.fixture(scope="module")
def trained(celeba, tmp_path_factory):
    """Train once by the paper's numbers, but on small images."""
    place = tmp_path_factory.mktemp("trained")
    done = subprocess.run(
        command(celeba, place / "work", place / "scores.parquet"), capture_output=True, text=True, check=True
    )
    return place, done


def test_the_protocol_end_to_end(trained):
    place, done = trained
    assert "each by a model that has not seen the image" in done.stdout
    assert "Of those left out: accuracy 0." in done.stdout
    assert "fairgroups audit" in done.stdout
    assert done.stderr.count(": loss ") == 25  # a line an epoch where nobody watches
    assert "images a second" in done.stdout
    table = duckdb.read_parquet(str(place / "scores.parquet"))
    names = ["image", "fold", "L", "a", "b", "ita", "hue", "attractive", "score", "decision", "finder"]
    assert table.columns == names
    data = table.fetchnumpy()
    assert 200 < data["score"].size < 270  # the women
    assert set(data["fold"]) == set(range(5))
    for members in np.array_split(np.argsort(data["L"], kind="stable"), 10):
        assert np.ptp(np.bincount(data["fold"][members], minlength=5)) <= 1
    yes = data["attractive"] == 1
    better = (data["score"][yes][:, None] > data["score"][~yes]).mean()
    assert better > 0.7  # the label can be told from tone, by models that did not see these people


def test_unreadable_images_are_left_out_and_named(celeba, tmp_path):
    rows = (celeba / "list_attr_celeba.txt").read_text()
    women = "\n".join(line[:-2] + "-1" if line.startswith("000007") else line for line in rows.splitlines())
    (celeba / "list_attr_celeba.txt").write_text(women + "\n")
    done = subprocess.run(
        command(celeba, tmp_path / "w", tmp_path / "s.csv", "--folds", "2", "--epochs", "1", "--bins", "2"),
        capture_output=True,
        text=True,
        check=True,
    )
    (celeba / "list_attr_celeba.txt").write_text(rows)
    assert "Left out: 000007.jpg" in done.stderr
    assert "000007" not in (tmp_path / "s.csv").read_text()


def test_scores_are_by_models_that_did_not_see_the_person(trained):
    """A model's own fold is scored by it and by no other; the table holds exactly that."""
    place, _ = trained
    data = duckdb.read_parquet(str(place / "scores.parquet")).fetchnumpy()
    for k in range(5):
        with np.load(place / "work" / f"scores-{k}.npz") as file:
            assert np.allclose(file["score"], data["score"][data["fold"] == k])


def test_killed_half_way_it_gives_the_same_table(celeba, tmp_path):
    whole = tmp_path / "whole.csv"
    subprocess.run(command(celeba, tmp_path / "a", whole, *SHORT), capture_output=True, check=True)
    work, out = tmp_path / "b", tmp_path / "resumed.csv"
    for waited_for in ("epoch-0.npz", "epoch-1.npz"):  # killed twice: in the first fold and in the second
        call = command(celeba, work, out, *SHORT)
        running = subprocess.Popen(call, start_new_session=True, stdout=subprocess.DEVNULL)
        deadline = time.time() + 90
        while time.time() < deadline and not (work / waited_for).exists():
            time.sleep(0.01)
        os.killpg(running.pid, signal.SIGKILL)
        running.wait()
        assert not out.exists()
    subprocess.run(command(celeba, work, out, *SHORT), capture_output=True, check=True)
    assert out.read_text() == whole.read_text()
    call = command(celeba, work, out, "--folds", "3", "--epochs", "1")
    other = subprocess.run(call, capture_output=True, text=True, check=False)
    assert other.returncode == 2
    assert "other settings" in other.stderr


def test_other_people_are_scored_by_the_mean_of_the_models(trained, tmp_path):
    place, _ = trained
    folder = tmp_path / "ffhq" / "00000"
    folder.mkdir(parents=True)
    for i, share in enumerate(np.linspace(0, 1, 12)):
        Image.fromarray(draw_face(DARK + share * (LIGHT - DARK), 72, shading=0.3)).save(folder / f"{i:05d}.png")
    (folder / "bad.png").write_bytes(b"")
    done = subprocess.run(
        [*(sys.executable, "-m", "fairgroups.cli", "faces", "predict", "--images", str(tmp_path / "ffhq"))]
        + ["--work", str(place / "work"), "--out", str(tmp_path / "s.parquet"), "--device", "cpu"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert "Scores of 12 of 13" in done.stdout
    assert "bad.png: the file is empty" in done.stderr
    rows = duckdb.read_parquet(str(tmp_path / "s.parquet")).fetchall()
    assert len(rows) == 13
    scores = [row[-3] for row in rows[:12]]  # then the decision and what found the face
    assert np.corrcoef(np.arange(12), scores)[0, 1] > 0.5
    assert rows[12][0] == "00000/bad.png"
    assert rows[12][-3] is None
    assert rows[12][-2] is None


def test_weights_from_files(tmp_path):
    network = ResNet18()
    assert sum(p.numel() for p in network.parameters()) == 11_177_025  # 11 689 512 with a thousand outputs
    torch.save(network.state_dict(), tmp_path / "w.pth")
    np.savez(tmp_path / "w.npz", **to_arrays(network.state_dict()))
    for name in ("w.pth", "w.npz"):
        found, origin = start_weights(tmp_path / name)
        assert origin.split()[0] == name
        assert torch.equal(found["layer4.1.conv2.weight"], network.state_dict()["layer4.1.conv2.weight"])
        assert not any(part.startswith("fc.") for part in found)
    torch.save({"conv1.weight": torch.zeros(3)}, tmp_path / "other.pth")
    with pytest.raises(InputError, match="no weights of a ResNet-18"):
        start_weights(tmp_path / "other.pth")
    with pytest.raises(InputError, match="no file"):
        start_weights(tmp_path / "nothing.pth")
    odd = {"a.pth": {1: 2}, "b.pth": {"conv1.weight": "text"}, "c.pth": {"state_dict": [1]}}
    for name, held in odd.items():
        torch.save(held, tmp_path / name)
    (tmp_path / "d.pth").touch()
    (tmp_path / "e.npz").write_bytes((tmp_path / "w.npz").read_bytes()[:5000])
    np.save(tmp_path / "f.npy", np.zeros(3))
    (tmp_path / "f.npy").rename(tmp_path / "f.npz")
    for name in (*odd, "d.pth", "e.npz", "f.npz"):
        with pytest.raises(InputError):
            start_weights(tmp_path / name)
    (tmp_path / "evil.pth").write_bytes(b"cos\nsystem\n(S'touch pwned'\ntR.")
    with pytest.raises(InputError, match="safely"):
        start_weights(tmp_path / "evil.pth")
    assert not (tmp_path / "pwned").exists()


def test_without_weights_it_says_so():
    try:
        import torchvision  # noqa: F401
    except ImportError:
        with pytest.warns(UserWarning, match="random"):
            assert start_weights(None) == (None, "random")
        with pytest.raises(InputError, match="cannot be had"):
            start_weights("imagenet")
    else:
        pytest.skip("torchvision is here and may have weights")


@pytest.fixture
def few(tmp_path):
    return draw_celeba(tmp_path / "celeba", 30)


TINY = ("--folds", "2", "--epochs", "1", "--bins", "2", "--batch", "8", "--size", "32")


def run(*call):
    return subprocess.run(call, capture_output=True, text=True, check=False)


def test_changed_images_are_not_taken_for_the_same(few, tmp_path):
    call = command(few, tmp_path / "w", tmp_path / "s.csv", *TINY)
    assert run(*call).returncode == 0
    Image.fromarray(draw_face(DARK, 72)).save(few / "img_align_celeba" / "000002.jpg")
    done = run(*call)
    assert done.returncode == 2
    assert "other settings" in done.stderr


def test_damaged_files_of_a_run_are_made_again(few, tmp_path):
    call = command(few, tmp_path / "w", tmp_path / "s.csv", *TINY)
    assert run(*call).returncode == 0
    known = (tmp_path / "s.csv").read_text()
    for pattern in ("scores-0.npz", "model-1.npz", "pictures-*.raw"):
        (path,) = (tmp_path / "w").glob(pattern)
        path.write_bytes(path.read_bytes()[:100])
        (tmp_path / "s.csv").unlink()
        assert run(*call).returncode == 0
        assert (tmp_path / "s.csv").read_text() == known


def test_nobody_is_listed_twice(few, tmp_path):
    path = few / "list_attr_celeba.txt"
    path.write_text(path.read_text() + "000001.jpg  1 -1\n")
    done = run(*command(few, tmp_path / "w", tmp_path / "s.csv", *TINY))
    assert done.returncode == 2
    assert "more than once" in done.stderr
    path.write_bytes(bytes(range(256)) * 4)
    assert run(*command(few, tmp_path / "w", tmp_path / "s.csv", *TINY)).returncode == 2
    (tmp_path / "file").touch()
    assert "not a folder" in run(*command(few, tmp_path / "file", tmp_path / "s.csv", *TINY)).stderr


def test_namesakes_in_subfolders_keep_their_own_tone_and_score(few, tmp_path):
    assert run(*command(few, tmp_path / "w", tmp_path / "s.csv", *TINY)).returncode == 0
    images = tmp_path / "images"
    for place, share in (("", 1.0), ("a", 0.5), ("b", 0.0)):
        (images / place).mkdir(parents=True, exist_ok=True)
        Image.fromarray(draw_face(DARK + share * (LIGHT - DARK), 72)).save(images / place / "1.bmp")
    Image.fromarray(draw_face(DARK, 72)).save(os.fsencode(images) + b"/x\xff.png")
    found = {}
    for folder in (images, images / "b"):
        call = [sys.executable, "-m", "fairgroups.cli", "faces", "predict", "--images", str(folder)]
        done = run(*call, "--work", str(tmp_path / "w"), "--out", str(tmp_path / "p.csv"), "--device", "cpu")
        assert done.returncode == 0, done.stderr
        found[folder] = {row[0]: row for row in duckdb.read_csv(str(tmp_path / "p.csv")).fetchall()}
    tones = [found[images][name][1] for name in ("1.bmp", "a/1.bmp", "b/1.bmp")]
    assert tones == sorted(tones, reverse=True)
    assert tones[0] - tones[2] > 40
    alone, beside, other = found[images / "b"]["1.bmp"], found[images]["b/1.bmp"], found[images]["1.bmp"]
    assert abs(alone[-3] - beside[-3]) < 1e-5 < abs(alone[-3] - other[-3])


def test_all_photographs_of_a_person_are_in_one_fold(celeba, tmp_path):
    """Persons are read from CelebA's list; then folds are dealt by person, and the table says who."""
    import shutil

    folder = tmp_path / "celeba"
    shutil.copytree(celeba, folder)
    rng = np.random.default_rng(0)
    names = [f"{i + 1:06d}.jpg" for i in range(300)]
    people = rng.integers(0, 60, 300)
    (folder / "identity_CelebA.txt").write_text("".join(f"{n} {p}\n" for n, p in zip(names, people, strict=True)))
    out = tmp_path / "t.parquet"
    done = subprocess.run(command(folder, tmp_path / "work", out, *SHORT), capture_output=True, text=True, check=True)
    assert "has not seen the person" in done.stdout
    assert "--cluster person" in done.stdout
    data = duckdb.read_parquet(str(out)).fetchnumpy()
    assert len({(w, f) for w, f in zip(data["person"], data["fold"], strict=True)}) == len(set(data["person"]))
    sizes = np.bincount(data["fold"])
    assert sizes.max() - sizes.min() <= 12
    tones = [data["L"][data["fold"] == k].mean() for k in range(3)]
    assert max(tones) - min(tones) < 4
    other = subprocess.run(
        command(folder, tmp_path / "work2", out, *SHORT, "--folds-by", "image"),
        capture_output=True,
        text=True,
        check=True,
    )
    assert "has not seen the image" in other.stdout


def test_what_cannot_be_is_said_before_the_work(celeba, tmp_path):
    for more, said in (
        (("--weights", "nowhere.pth"), "there is no file of weights"),
        (("--folds-by", "person"), "identity_CelebA.txt"),
        (("--folds-by", "day"), "must be person, image or auto"),
    ):
        done = subprocess.run(
            command(celeba, tmp_path / "work", tmp_path / "t.csv", *more), capture_output=True, text=True, check=False
        )
        assert done.returncode == 2
        assert said in done.stderr
        assert not list(tmp_path.glob("work/tones-*"))
