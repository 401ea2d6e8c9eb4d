from itertools import permutations

import numpy as np

from fairgroups.cells.canonical import canonical_order


def test_however_axes_are_turned_the_weights_come_in_one_order():
    rng = np.random.default_rng(0)
    mass = rng.random((3, 4, 2))
    directed = (False, False, True)
    wanted = mass.ravel()[canonical_order(mass, directed)]
    for order in permutations(range(3)):
        for flips in ((1, 1), (-1, 1), (1, -1), (-1, -1)):
            turned = mass[:: flips[0], :: flips[1]].transpose(order)
            found = turned.ravel()[canonical_order(turned, [directed[d] for d in order])]
            np.testing.assert_array_equal(found, wanted)


def test_every_cell_comes_once():
    order = canonical_order(np.ones((5, 3)), [False, True])
    assert sorted(order.tolist()) == list(range(15))
    assert canonical_order(np.ones((2,) * 7), [False] * 7).tolist() == list(range(128))


def test_the_order_of_levels_decides_nothing():
    rng = np.random.default_rng(1)
    mass = rng.random((5, 4))
    wanted = mass.ravel()[canonical_order(mass, [False, True])]
    for levels in permutations(range(4)):
        other = mass[:, levels]
        np.testing.assert_array_equal(other.ravel()[canonical_order(other, [False, True])], wanted)
        other = mass[::-1, levels]
        np.testing.assert_array_equal(other.ravel()[canonical_order(other, [False, True])], wanted)
