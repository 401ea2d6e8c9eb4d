"""Matching: sums by cell and by stratum of people who are alike in some factors.

With m_s the rate of stratum s, U_G = Σ (a − b m_s) over the people of G is how far they are from what people alike in
the factors have: Φ = explained + unexplained, the latter U_G/B_G. The same U_G is Σ_s w_s (rate of G in s − rate of the
others in s), w_s = B_Gs (B_s − B_Gs)/B_s, so that U_G/Σ w_s is the Mantel–Haenszel difference: G against comparable
people outside it. Σ w_s and the variance of U_G are quadratic in who belongs to G, so that a matrix over the cells has
them for every range or box.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from fairgroups.cells.moments import Moments, moments_by
from fairgroups.measures import Measure
from fairgroups.rows.rows import Rows

__all__ = ["Matching", "matchings"]

Array = NDArray[np.float64]
Codes = NDArray[np.intp]
MODEL_ERROR = 2.0  # over the root of the people: what a model's own errors may add to standard errors (simulated)


@dataclass(frozen=True, eq=False)
class Matching:
    """Sums of a measure by cell and stratum.

    Attributes
    ----------
    sums : Moments
        Arrays of cells × strata.
    pooled : bool
        Whether the variance of a row follows from its stratum: yes or no. That of amounts may differ from cell to cell.
    yes : array of int or None
        Where everybody counts once and outcomes are yes or no: how many of a stratum have it.
    raw : Moments
        The measure's own sums by cell, nothing taken off.
    strata : Moments
        The sums of everybody by stratum.
    allowance : float
        By how much standard errors are raised for what is not known of a model's expectations.
    """

    sums: Moments
    pooled: bool
    yes: NDArray[np.int64] | None
    raw: Moments
    strata: Moments
    allowance: float = 1.0

    @property
    def n_cells(self) -> int:
        """Count the cells."""
        return int(self.sums.b.shape[0])

    @cached_property
    def _strata(self) -> tuple[Array, Array, Array]:
        """The rate of each stratum, its B, and by how much squares are too small for want of that rate."""
        b, a, bb = self.strata.b, self.strata.a, self.strata.bb
        rate = np.divide(a, b, out=np.zeros_like(a), where=b > 0)
        size = np.divide(b**2, bb, out=np.zeros_like(b), where=bb > 0)
        more = np.divide(size, size - 1, out=np.zeros_like(b), where=size > 1 + 1e-9)
        return rate, b, more

    @cached_property
    def residual(self) -> Array:
        """How far each cell is from the rates of its people's strata: U by cell."""
        rate, _, _ = self._strata
        found: Array = (self.sums.a - self.sums.b * rate).sum(axis=1)
        return found

    def _squares(self, of: Moments, *, pooled: bool) -> Array:
        """Return the variance of sums in each stratum, were its rate known: by the stratum's scatter, or their own."""
        rate, _, more = self._strata
        known = self.strata if pooled else of
        squares = np.maximum(known.aa - 2 * rate * known.ab + rate**2 * known.bb, 0.0)
        each = np.divide(squares, known.bb, out=np.zeros_like(squares), where=known.bb > 0)
        found: Array = of.noise * each * more * self.allowance**2
        return found

    @cached_property
    def variance(self) -> Array:
        """The covariance of U between cells where nobody differs from their stratum: 1_G' · 1_G is that of U_G."""
        return self._covariance(pooled=True)

    @cached_property
    def own_variance(self) -> Array:
        """The same by the cells' own scatter: amounts may scatter more in some places than in others."""
        return self.variance if self.pooled else self._covariance(pooled=False)

    def _covariance(self, *, pooled: bool) -> Array:
        _, b, _ = self._strata
        squares = self._squares(self.sums, pooled=pooled)
        share = np.divide(self.sums.b, b, out=np.zeros_like(self.sums.b), where=b > 0)
        crossed = squares @ share.T
        found = (share * squares.sum(axis=0)) @ share.T - crossed - crossed.T
        found[np.diag_indices_from(found)] += squares.sum(axis=1)
        return np.asarray(found)

    @cached_property
    def weight(self) -> Array:
        """The matrix of Mantel–Haenszel weights: 1_G' · 1_G is Σ_s B_Gs (B_s − B_Gs)/B_s."""
        _, b, _ = self._strata
        found = -(self.sums.b * np.divide(1.0, b, out=np.zeros_like(b), where=b > 0)) @ self.sums.b.T
        found[np.diag_indices_from(found)] += self.sums.b.sum(axis=1)
        return np.asarray(found)

    def within(self, cells: Codes) -> Matching:
        """Return the sums of some cells, whose people are compared among themselves."""
        some = self.sums.map(lambda x: x[cells])
        raw = self.raw.map(lambda x: x[cells])
        return Matching(some, self.pooled, None, raw, some.map(lambda x: x.sum(axis=0)), self.allowance)

    def joined(self, held: Array) -> Matching:
        """Return sums of regions instead of cells; `held` says, region by cell, who is in which."""
        sums, raw = (one.map(lambda x: held @ x) for one in (self.sums, self.raw))
        return Matching(sums, self.pooled, self.yes, raw, self.strata, self.allowance)

    def compared(self) -> tuple[Array, Array, Array, Array]:
        """Compare each cell with comparable people outside it.

        Returns U, its Mantel–Haenszel weight, its variance where there is no difference (Cochran–Mantel–Haenszel), and
        its variance where there is the difference that was seen.
        """
        rate, b, more = self._strata
        s = self.sums
        share = np.divide(s.b, b, out=np.zeros_like(s.b), where=b > 0)
        weight = np.sum(s.b * (1 - share), axis=1)
        null = np.zeros(s.b.shape[0])
        for pooled in (True,) if self.pooled else (True, False):
            own, all_of_them = (self._squares(x, pooled=pooled) for x in (s, self.strata))
            null = np.maximum(null, np.sum(own * (1 - 2 * share) + share**2 * all_of_them, axis=1))
        difference = np.divide(self.residual, weight, out=np.zeros_like(weight), where=weight > 1e-12)[:, None]
        effect = np.divide(s.noise, s.bb, out=np.ones_like(s.bb), where=s.bb > 0)
        rest = [getattr(self.strata, x) - getattr(s, x) for x in ("aa", "ab", "bb", "noise")]
        effect_rest = np.divide(rest[3], rest[2], out=np.ones_like(s.bb), where=rest[2] > 1e-12)
        inside, outside = rate + difference * (1 - share), rate - difference * share
        own = np.maximum(s.aa - 2 * inside * s.ab + inside**2 * s.bb, 0.0) * effect
        other = np.maximum(rest[0] - 2 * outside * rest[1] + outside**2 * rest[2], 0.0) * effect_rest
        seen = np.sum(more * ((1 - share) ** 2 * own + share**2 * other), axis=1) * self.allowance**2
        return self.residual, np.maximum(weight, 0.0), np.maximum(null, 0.0), seen

    @property
    def alone(self) -> Array:
        """B of each cell whose people have nobody outside the cell in their stratum."""
        _, b, _ = self._strata
        found: Array = np.where(self.sums.b >= b * (1 - 1e-12), self.sums.b, 0.0).sum(axis=1)
        return found


def matchings(rows: Rows, measures: Iterable[Measure], codes: Codes, n_cells: int) -> dict[str, Matching]:
    """Return the sums by cell and stratum of each measure whose expectations are known; negative codes are left out."""
    return {m.name: _matching(rows, m, codes, n_cells) for m in measures if m.name in rows.expectations}


def _matching(rows: Rows, measure: Measure, codes: Codes, n_cells: int) -> Matching:
    assert rows.strata is not None
    n_strata = int(rows.strata.max()) + 1
    both = np.where(codes < 0, -1, codes * n_strata + rows.strata)
    sums = moments_by(rows, measure, both, n_cells * n_strata).map(lambda x: x.reshape(n_cells, n_strata))
    plain = replace(rows, expectations={}, offset=0.0)
    raw = moments_by(plain, measure, codes, n_cells)
    _, b = plain.sums(measure)
    simple = rows.weight is None and rows.cluster is None and bool(np.all((b == 0) | (b == 1)))
    by_stratum = moments_by(plain, measure, np.where(codes < 0, -1, rows.strata), n_strata)
    # A model's prediction differs from person to person: then outcomes less it are no yes or no.
    expected = rows.expectations[measure.name]
    same = _constant(expected[b > 0], rows.strata[b > 0], n_strata)
    yes = np.rint(by_stratum.a).astype(np.int64) if simple and raw.bounded and same else None
    allowance = 1.0 if same else 1 + MODEL_ERROR / float(np.sqrt(max(rows.people[b > 0].sum(), 1.0)))
    return Matching(sums, raw.bounded, yes, raw, sums.map(lambda x: x.sum(axis=0)), allowance)


def _constant(values: Array, codes: Codes, n: int) -> bool:
    """Whether values that share a code are equal."""
    one = np.zeros(n)
    one[codes] = values
    return bool(np.all(np.abs(values - one[codes]) <= 1e-12))
