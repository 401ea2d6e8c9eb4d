from fairgroups.rows.yes_words import NO, YES, likely_yes, yes_among


def test_no_word_means_both():
    assert not YES & NO


def test_yes_among_labels():
    assert yes_among(["Ja", "nein"]) == {"Ja"}
    assert yes_among(["no"]) == set()
    assert yes_among(["m", "f"]) is None
    assert yes_among([]) is None


def test_a_hint_names_the_likely_one():
    assert likely_yes(["denied", "Approved"]) == "Approved"
    assert likely_yes(["a", "b"]) == "b"
