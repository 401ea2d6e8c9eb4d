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
    assert likely_yes(["1 yes", "2 no"]) == "1 yes"


def test_hints_stay_near_to_what_was_asked_for():
    assert likely_yes(["1 yes", "2 no"], "yes") == "1 yes"
    assert likely_yes(["1 yes", "2 no"], "no") == "2 no"
    assert likely_yes(["02", "01"], 2) == "02"
    assert likely_yes(["1.0", "2.0"], "1") == "1.0"
    assert likely_yes(["aproved", "denied"], "approved") == "aproved"
    assert likely_yes(["denied", "approved"], "granted") == "approved"
