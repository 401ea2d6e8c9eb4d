"""Colours: sRGB, linear light, XYZ and CIELAB (D65, 2° observer), and the angles that skin tone is told by.

The primaries, white point and transfer function are those of IEC 61966-2-1; L*, a*, b* those of CIE 15. Arrays may have
any shape; the last axis of a colour holds its three numbers.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fairgroups.errors import InputError

__all__ = ["chroma", "hue_angle", "ita", "lab_to_rgb", "linear_to_srgb", "rgb_to_lab", "srgb_to_linear"]

Array = NDArray[np.float64]
TO_XYZ = np.array(
    [[0.412453, 0.357580, 0.180423], [0.212671, 0.715160, 0.072169], [0.019334, 0.119193, 0.950227]]
)  # from linear sRGB
WHITE = np.array([0.95047, 1.0, 1.08883])  # D65
# Below EPSILON f is a straight line. CIE's slope is 841/108 = 7.78704, much software has 7.787: this lies between, so
# that near-black colours agree with both to 1e-4.
SLOPE, EPSILON = 7.7870185, 216 / 24389
BLOCK = 1 << 16  # pixels at a time: what fits a core's cache


def rgb_to_lab(rgb: Any) -> Array:
    """Turn sRGB colours into L*, a*, b*.

    Parameters
    ----------
    rgb : array-like, shape (..., 3)
        Floats between 0 and 1, or whole numbers of 8 or 16 bits.

    Returns
    -------
    array

    Examples
    --------
    >>> from fairgroups.skin import rgb_to_lab
    >>> rgb_to_lab([[1.0, 0.0, 0.0]]).round(1).tolist()
    [[53.2, 80.1, 67.2]]
    """
    given = _colours(rgb)
    flat = given.reshape(-1, 3)
    out = np.empty(flat.shape)
    table = _decoded(given.dtype) if given.dtype in (np.uint8, np.uint16) else None
    scaled = (TO_XYZ / WHITE[:, None]).T
    for start in range(0, len(flat), BLOCK):
        part = flat[start : start + BLOCK]
        linear = srgb_to_linear(part) if table is None else np.take(table, part)
        f = _bent(linear @ scaled)
        block = out[start : start + BLOCK]
        block[:, 0] = 116 * f[:, 1] - 16
        block[:, 1] = 500 * (f[:, 0] - f[:, 1])
        block[:, 2] = 200 * (f[:, 1] - f[:, 2])
    return out.reshape(given.shape)


def lab_to_rgb(lab: Any) -> Array:
    """Turn L*, a*, b* into sRGB between 0 and 1; colours that sRGB does not have are cut off.

    Examples
    --------
    >>> from fairgroups.skin import lab_to_rgb
    >>> lab_to_rgb([100, 0, 0]).round(3).tolist()
    [1.0, 1.0, 1.0]
    """
    given = np.asarray(lab, dtype=np.float64)
    _check_last(given)
    lightness, a, b = (given[..., i] for i in range(3))
    fy = (lightness + 16) / 116
    f = np.stack([fy + a / 500, fy, fy - b / 200], axis=-1)
    xyz = np.where(f**3 > EPSILON, f**3, (f - 16 / 116) / SLOPE) * WHITE
    return np.clip(linear_to_srgb(np.clip(xyz @ np.linalg.inv(TO_XYZ).T, 0.0, 1.0)), 0.0, 1.0)


def srgb_to_linear(value: Any) -> Array:
    """Undo the transfer function of sRGB: values between 0 and 1 become shares of light.

    Examples
    --------
    >>> from fairgroups.skin import srgb_to_linear
    >>> round(float(srgb_to_linear(118 / 255)), 2)
    0.18
    """
    v = np.asarray(value, dtype=np.float64)
    out: Array = np.where(v <= 0.04045, v / 12.92, np.power((np.maximum(v, 0.0) + 0.055) / 1.055, 2.4))
    return out


def linear_to_srgb(light: Any) -> Array:
    """Apply the transfer function of sRGB: shares of light become values between 0 and 1.

    Examples
    --------
    >>> from fairgroups.skin import linear_to_srgb
    >>> round(float(linear_to_srgb(0.18)) * 255)
    118
    """
    v = np.asarray(light, dtype=np.float64)
    out: Array = np.where(v <= 0.0031308, v * 12.92, 1.055 * np.power(np.maximum(v, 0.0), 1 / 2.4) - 0.055)
    return out


def ita(lightness: Any, b: Any, *, plain: bool = False) -> Array:
    """Return the individual typology angle in degrees: 180/π · arctan((L* − 50)/b*).

    Parameters
    ----------
    lightness, b : array-like
        L* and b*.
    plain : bool
        Use the formula as it is often written. It wraps where b* is negative: light bluish skin gets the angle of dark
        skin, and the other way round. By default the angle goes on beyond ± 90° there, so that lighter is always
        larger. Where b* is positive, as in nearly all skin, both are the same.

    Returns
    -------
    array

    Notes
    -----
    At b* = 0 the angle is 90° for L* > 50 and −90° for L* < 50. At L* = 50, b* = 0 it does not exist: NaN.

    Examples
    --------
    >>> from fairgroups.skin import ita
    >>> ita([70.0, 70.0, 30.0], [20.0, -20.0, -20.0]).tolist()
    [45.0, 135.0, -135.0]
    >>> ita(70.0, -20.0, plain=True).tolist()
    -45.0
    """
    up, across = np.broadcast_arrays(np.asarray(lightness, dtype=np.float64) - 50, np.asarray(b, dtype=np.float64))
    if plain:
        with np.errstate(divide="ignore", invalid="ignore"):
            wrapped: Array = np.degrees(np.arctan(up / across))
        return wrapped
    return _angle(up, across)


def hue_angle(a: Any, b: Any, *, signed: bool = False) -> Array:
    """Return the hue angle h* in degrees, from 0 up to 360: the direction of (a*, b*).

    With `signed` it runs from −180 to 180, so that reddish skin on either side of 0 stays together; tables of skin tone
    and the scales of `fairgroups.skin.scales` have it so.

    The paper's arctan(b*/a*) is the same where a* is positive, as in nearly all skin; where a* is negative it would be
    off by 180°. At a* = 0 the angle is 90° or 270°; grey (a* = b* = 0) has none: NaN.

    Examples
    --------
    >>> from fairgroups.skin import hue_angle
    >>> hue_angle([10.0, 0.0, -10.0, 10.0], [10.0, 5.0, 10.0, -10.0]).tolist()
    [45.0, 90.0, 135.0, 315.0]
    """
    red, yellow = np.broadcast_arrays(np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64))
    angle = _angle(yellow, red)
    return angle if signed else np.asarray(angle % 360)


def chroma(a: Any, b: Any) -> Array:
    """Return how far a colour is from grey: √(a*² + b*²).

    Examples
    --------
    >>> from fairgroups.skin import chroma
    >>> float(chroma(3, 4))
    5.0
    """
    out: Array = np.hypot(np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64))
    return out


def _angle(up: Array, across: Array) -> Array:
    angle: Array = np.degrees(np.arctan2(up, across))
    return np.where((up == 0) & (across == 0), np.nan, angle)


def _bent(t: Array) -> Array:
    """Return the function f of CIELAB."""
    f: Array = np.where(t > EPSILON, np.cbrt(t), SLOPE * t + 16 / 116)
    return f


def _colours(rgb: Any) -> NDArray[Any]:
    given = np.asarray(rgb)
    _check_last(given)
    if given.dtype.kind in "iu" and given.dtype not in (np.uint8, np.uint16):
        if given.size and (given.min() < 0 or given.max() > 255):
            raise InputError("whole numbers of a colour lie between 0 and 255.", "pass 16-bit colours as uint16.")
        return given.astype(np.uint8)
    if given.dtype.kind == "b" or given.dtype.kind not in "iuf":
        raise InputError(f"a colour is three numbers; got {given.dtype}.")
    if given.dtype.kind == "f" and given.size and not (np.nanmin(given) >= 0 and np.nanmax(given) <= 1):
        raise InputError("colours as floats lie between 0 and 1.", "divide by 255, or pass whole numbers.")
    return given


def _check_last(given: NDArray[Any]) -> None:
    if given.ndim == 0 or given.shape[-1] != 3:
        raise InputError(f"the last axis must hold the three numbers of a colour; got shape {given.shape}.")


def _decoded(kind: Any) -> Array:
    """Return the light of every value of 8 or 16 bits."""
    most = np.iinfo(kind).max
    return srgb_to_linear(np.arange(most + 1) / most)
