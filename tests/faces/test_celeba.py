"""CelebA's lists in both shapes, folds, settings."""

import numpy as np
import pytest

pytest.importorskip("PIL", reason="needs Pillow (the extra skin)")

from fairgroups import InputError
from fairgroups.faces import Settings, read_celeba
from fairgroups.faces.folds import folds_by_person, stratified_folds
from fairgroups.faces.protocol import read_settings, write_settings

TITLES = ["Attractive", "Male", "Big_Nose"]
PEOPLE = {"000001.jpg": [1, -1, -1], "000002.jpg": [-1, 1, 1], "000003.jpg": [1, 1, -1]}


def write(folder, kind, people=PEOPLE):
    (folder / "img_align_celeba").mkdir(parents=True)
    for name in list(people)[:2]:
        (folder / "img_align_celeba" / name).touch()
    if kind == "txt":
        rows = [str(len(people)), " ".join(TITLES)]
        rows += [f"{name} " + "  ".join(f"{x:>2}" for x in values) for name, values in people.items()]
        parts = [f"{name} {i}" for i, name in enumerate(people)]
    else:
        rows = [",".join(["image_id", *TITLES])] + [f"{n},{','.join(map(str, v))}" for n, v in people.items()]
        parts = ["image_id,partition", *(f"{name},{i}" for i, name in enumerate(people))]
    (folder / f"list_attr_celeba.{kind}").write_text("\n".join(rows) + "\n")
    (folder / f"list_eval_partition.{kind}").write_text("\n".join(parts) + "\n")
    return folder


@pytest.mark.parametrize("kind", ["txt", "csv"])
def test_both_shapes_of_the_lists(tmp_path, kind):
    found = read_celeba(write(tmp_path / "celeba", kind))
    assert found.names.tolist() == ["000001.jpg", "000002.jpg"]  # the third is listed, but not there
    assert found.attribute("attractive").tolist() == [True, False]
    assert found.attribute("Big Nose").tolist() == [False, True]
    assert found.part.tolist() == ["train", "valid"]
    women = found.chosen(~found.attribute("Male"))
    assert women.names.tolist() == ["000001.jpg"]
    assert women.part.tolist() == ["train"]
    with pytest.raises(InputError, match="Big_Nose"):
        found.attribute("Young")


def test_folders_that_are_not_celeba(tmp_path):
    with pytest.raises(InputError, match="no folder"):
        read_celeba(tmp_path / "nowhere")
    with pytest.raises(InputError, match="img_align_celeba"):
        read_celeba(tmp_path)
    (tmp_path / "img_align_celeba").mkdir()
    (tmp_path / "img_align_celeba" / "1.jpg").touch()
    with pytest.raises(InputError, match="list_attr_celeba"):
        read_celeba(tmp_path)
    (tmp_path / "list_attr_celeba.txt").write_text("1\nAttractive Male\n1.jpg 1 7\n")
    with pytest.raises(InputError, match="cannot be read"):
        read_celeba(tmp_path)
    (tmp_path / "list_attr_celeba.txt").write_text("1\nAttractive Male\n2.jpg 1 1\n")
    with pytest.raises(InputError, match="none of the 1"):
        read_celeba(tmp_path)


@pytest.mark.parametrize("n", [50, 501, 3333])
def test_every_fold_has_its_share_of_every_bin(n):
    lightness = np.random.default_rng(0).normal(60, 12, n).round(1)  # with ties
    folds = stratified_folds(lightness, 5, 10, seed=3)
    order = np.argsort(lightness, kind="stable")
    sizes = np.bincount(folds, minlength=5)
    assert np.ptp(sizes) <= 1
    for members in np.array_split(order, 10):
        values = np.unique(lightness[members])
        strictly = members[(lightness[members] > values[0]) & (lightness[members] < values[-1])]
        assert np.ptp(np.bincount(folds[strictly], minlength=5)) <= 2 + np.sum(
            np.isin(lightness[members], [values[0], values[-1]])
        )
    assert (stratified_folds(lightness, 5, 10, seed=3) == folds).all()
    assert (stratified_folds(lightness, 5, 10, seed=4) != folds).any()


def test_shares_without_ties_are_exact():
    lightness = np.random.default_rng(1).permutation(1000.0 + np.arange(1000))
    folds = stratified_folds(lightness, 5, 10, seed=0)
    for members in np.array_split(np.argsort(lightness), 10):
        assert np.bincount(folds[members]).tolist() == [20] * 5


def test_too_few_images_for_the_folds():
    with pytest.raises(InputError, match="too few"):
        stratified_folds(np.arange(30.0), 5, 10, seed=0)


def test_a_folder_of_another_run_is_refused(tmp_path):
    write_settings(tmp_path, Settings(), {"people": "x"})
    write_settings(tmp_path, Settings(), {"people": "x"})
    assert read_settings(tmp_path) == Settings()
    with pytest.raises(InputError, match="epochs"):
        write_settings(tmp_path, Settings(epochs=3), {"people": "x"})
    (tmp_path / "protocol.json").write_text("{")
    with pytest.raises(InputError, match="damaged"):
        read_settings(tmp_path)
    with pytest.raises(InputError, match="epochs must be"):
        Settings(epochs=0)


def test_persons_stay_together_and_folds_stay_alike():
    rng = np.random.default_rng(0)
    size = rng.integers(1, 30, 400)
    who = np.repeat(np.arange(400).astype(str), size)
    tone = np.repeat(rng.normal(65, 5, 400), size) + rng.normal(0, 9, who.size)
    folds = folds_by_person(tone, who, 5, 10, seed=0)
    assert len(set(zip(who.tolist(), folds.tolist(), strict=True))) == 400
    sizes = np.bincount(folds)
    assert sizes.max() - sizes.min() <= 30
    means = [tone[folds == k].mean() for k in range(5)]
    assert max(means) - min(means) < 0.6
    assert np.array_equal(folds, folds_by_person(tone, who, 5, 10, seed=0))
    alone = folds_by_person(tone[:100], np.full(100, ""), 5, 10, seed=0)  # nobody is known
    assert np.bincount(alone).tolist() == [20] * 5
    with pytest.raises(InputError, match="persons are too few"):
        folds_by_person(tone[:30], who[:30], 5, 10, seed=0)
