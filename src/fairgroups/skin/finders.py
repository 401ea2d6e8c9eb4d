"""Where a face is, and where on it skin is expected: several ways behind one small protocol.

`MeshFinder` needs mediapipe (extra `faces`), `CascadeFinder` scikit-image (extra `skin`); `AlignedFinder` needs nothing
but pictures in which every face lies in the same place, as in CelebA and FFHQ. Any function from a photograph to a
list of `Face` will do.
"""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from fairgroups.errors import InputError

__all__ = ["AlignedFinder", "CascadeFinder", "Face", "FaceFinder", "MeshFinder", "finder_of", "name_of"]

Pixels = NDArray[np.uint8]
Mask = NDArray[np.bool_]
FinderName = Literal["auto", "mesh", "cascade", "aligned"]
ROOM = 0.3  # of the longer side: the edge that a second look adds to tight crops
SMALL = 200  # pixels; smaller pictures are enlarged for a second look
SEARCHED = 480  # longest side, in pixels, of the picture in which a cascade looks for faces


@dataclass(frozen=True)
class Face:
    """A face in a photograph.

    Attributes
    ----------
    box : tuple of float
        Left, top, right and bottom, in pixels.
    mask : array of bool
        Where skin is expected, of the photograph's height and width.
    outlined : bool
        Whether the mask follows this very face, so that skin need not be told by its colour.
    roll, yaw, pitch : float
        How the head is turned, in degrees; NaN where that is not known.

    Examples
    --------
    >>> import numpy as np
    >>> from fairgroups.skin import Face
    >>> Face((10, 10, 50, 60), np.zeros((80, 60), dtype=bool)).width
    40
    """

    box: tuple[float, float, float, float]
    mask: Mask
    outlined: bool = False
    roll: float = float("nan")
    yaw: float = float("nan")
    pitch: float = float("nan")

    @property
    def width(self) -> float:
        """Return how wide the face is, in pixels."""
        return self.box[2] - self.box[0]


class FaceFinder(Protocol):
    """What finds faces: called with a photograph (height, width, 3) of 8-bit sRGB, it lists them.

    Examples
    --------
    >>> import numpy as np
    >>> from fairgroups.skin import Face, skin_tone
    >>> def everywhere(rgb):
    ...     return [Face((0, 0, rgb.shape[1], rgb.shape[0]), np.ones(rgb.shape[:2], dtype=bool))]
    >>> round(skin_tone(np.full((40, 40, 3), [198, 134, 66], dtype=np.uint8), finder=everywhere).L)
    61
    """

    def __call__(self, rgb: Pixels) -> list[Face]:
        """List the faces."""


class CascadeFinder:
    """Faces by a cascade of local binary patterns (Viola and Jones 2001; Liao et al. 2007), as scikit-image has it.

    It finds upright faces seen from the front, a tenth of the picture's longer side or larger. Skin is expected on the
    cheeks and the nose; a find without skin colours there is no face. Where nothing is found, it looks once more with
    some room around the picture, for faces that fill it.

    Examples
    --------
    >>> import numpy as np
    >>> from fairgroups.skin import CascadeFinder
    >>> CascadeFinder()(np.zeros((100, 100, 3), dtype=np.uint8))
    []
    """

    def __init__(self) -> None:
        try:
            from skimage import data, feature
        except ImportError as error:
            raise InputError("finding faces needs scikit-image.", "pip install 'fairgroups[skin]'") from error
        self._cascade = feature.Cascade(data.lbp_frontal_face_cascade_filename())

    name = "cascade"

    def __call__(self, rgb: Pixels) -> list[Face]:
        """List the faces, largest first."""
        return self._look(rgb) or _look_again(self._look, rgb)

    def _look(self, rgb: Pixels) -> list[Face]:
        from fairgroups.skin.colours_of_skin import is_grey, skin_coloured

        small, scale = _shrunk(rgb, SEARCHED)
        least, most = max(24, max(small.shape[:2]) // 10), min(small.shape[:2])
        if most < 24:
            return []
        found = self._cascade.detect_multi_scale(
            small, scale_factor=1.15, step_ratio=1, min_size=(least, least), max_size=(most, most)
        )
        faces = []
        for place in found:
            left, top, side = place["c"] * scale, place["r"] * scale, place["width"] * scale
            mask = patches(rgb.shape[:2], left + side / 2, top + side / 2, side)
            if mask.any() and (is_grey(rgb[mask]) or skin_coloured(rgb[mask]).mean() >= 0.4):
                faces.append(Face((left, top, left + side, top + side), mask))
        return _apart(sorted(faces, key=lambda face: -face.width))


class AlignedFinder:
    """Faces that lie in the same place in every picture, as CelebA's aligned images and FFHQ's do.

    Parameters
    ----------
    across, down : float
        Where the middle of the face is, as shares of the picture's width and height.
    size : float
        How wide it is, from ear to ear, as a share of the picture's width.

    Examples
    --------
    >>> import numpy as np
    >>> from fairgroups.skin import AlignedFinder
    >>> len(AlignedFinder()(np.zeros((218, 178, 3), dtype=np.uint8)))
    1
    """

    name = "aligned"

    def __init__(self, across: float = 0.5, down: float = 0.56, size: float = 0.69) -> None:
        self.across, self.down, self.size = across, down, size

    def __call__(self, rgb: Pixels) -> list[Face]:
        """Return the one face."""
        height, width = rgb.shape[:2]
        x, y, side = self.across * width, self.down * height, self.size * width
        return [Face((x - side / 2, y - side / 2, x + side / 2, y + side / 2), patches((height, width), x, y, side))]


class MeshFinder:
    """Faces by mediapipe's mesh of 468 points: the oval above the mouth without eyes and brows.

    Where nothing is found, it looks once more with some room around the picture, and at twice the size where that is
    small.

    Examples
    --------
    >>> from fairgroups.skin import MeshFinder, skin_tone
    >>> skin_tone("portrait.jpg", finder=MeshFinder())  # doctest: +SKIP
    """

    name = "mesh"

    def __init__(self, most: int = 5) -> None:
        try:
            import mediapipe

            solution = mediapipe.solutions.face_mesh
        except (ImportError, AttributeError) as error:
            raise InputError(
                "the face mesh needs mediapipe 0.10.14, whose wheel holds its models.",
                "pip install mediapipe==0.10.14, or use the cascade.",
            ) from error
        with _quiet():
            self._mesh = solution.FaceMesh(static_image_mode=True, max_num_faces=most, min_detection_confidence=0.5)
            self._mesh.process(np.zeros((64, 64, 3), dtype=np.uint8))
        self._parts = {
            name: sorted({i for edge in getattr(solution, f"FACEMESH_{name}") for i in edge})
            for name in ("FACE_OVAL", "LEFT_EYE", "RIGHT_EYE", "LEFT_EYEBROW", "RIGHT_EYEBROW", "LIPS")
        }

    def __call__(self, rgb: Pixels) -> list[Face]:
        """List the faces, largest first."""
        return self._look(rgb) or _look_again(self._look, rgb)

    def _look(self, rgb: Pixels) -> list[Face]:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = self._mesh.process(np.ascontiguousarray(rgb)).multi_face_landmarks or []
        height, width = rgb.shape[:2]
        faces = []
        for one in found:
            solid = np.array([(p.x * width, p.y * height, p.z * width) for p in one.landmark])
            points = solid[:, :2]
            left, top, right, bottom = (float(x) for x in (*points.min(axis=0), *points.max(axis=0)))
            mask = self._mask(points, (height, width))
            faces.append(Face((left, top, right, bottom), mask, outlined=True, **_turned(solid)))
        return sorted(faces, key=lambda face: -face.width)

    def _mask(self, points: NDArray[np.float64], shape: tuple[int, int]) -> Mask:
        oval = _filled(points[self._parts["FACE_OVAL"]], shape, 0.94)
        for eye, brow in (("LEFT_EYE", "LEFT_EYEBROW"), ("RIGHT_EYE", "RIGHT_EYEBROW")):
            oval &= ~_filled(points[self._parts[eye] + self._parts[brow]], shape, 1.25)
        oval &= ~_filled(points[self._parts["LIPS"]], shape, 1.2)
        top, chin, lip = points[10], points[152], points[0]  # the mesh's numbers for these places
        axis = chin - top
        rows, columns = np.mgrid[: shape[0], : shape[1]]
        along = (columns - lip[0]) * axis[0] + (rows - lip[1]) * axis[1]
        above: Mask = oval & (along < 0)  # no beards
        return above


@contextmanager
def _quiet() -> Iterator[None]:
    """Keep what a library's native code writes to standard error while it starts off the terminal."""
    sys.stderr.flush()
    kept, nowhere = os.dup(2), os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nowhere, 2)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
        os.close(nowhere)


def finder_of(finder: FinderName | FaceFinder) -> FaceFinder:
    """Return a finder by its name: auto is the mesh where mediapipe is installed, else the cascade."""
    if not isinstance(finder, str):
        return finder
    makers: dict[str, Any] = {"mesh": MeshFinder, "cascade": CascadeFinder, "aligned": AlignedFinder}
    if finder == "auto":
        try:
            return MeshFinder()
        except InputError:
            return CascadeFinder()
    if finder not in makers:
        raise InputError(f"there is no finder of faces {finder!r}.", f"choose one of: auto, {', '.join(makers)}")
    made: FaceFinder = makers[finder]()
    return made


def name_of(finder: FaceFinder) -> str:
    """Return what a finder is called in tables."""
    return str(getattr(finder, "name", getattr(finder, "__name__", type(finder).__name__)))


def _turned(solid: NDArray[np.float64]) -> dict[str, float]:
    """Return how a head is turned, from the mesh's points in space: cheeks, forehead and chin."""
    across, down = solid[454] - solid[234], solid[152] - solid[10]  # the mesh's numbers for these places
    angles = {
        "roll": np.arctan2(across[1], across[0]),
        "yaw": np.arctan2(across[2], np.hypot(across[0], across[1])),
        "pitch": np.arctan2(down[2], np.hypot(down[0], down[1])),
    }
    return {name: round(float(np.degrees(angle)), 1) for name, angle in angles.items()}


def _look_again(look: Any, rgb: Pixels) -> list[Face]:
    """Look with an edge around the picture, for faces that fill it; small pictures are enlarged as well."""
    from PIL import Image

    height, width = rgb.shape[:2]
    if min(height, width) < 24:
        return []
    factor = 2 if max(height, width) < SMALL else 1
    larger = rgb
    if factor > 1:
        larger = np.asarray(Image.fromarray(rgb).resize((factor * width, factor * height), Image.Resampling.BICUBIC))
    room = round(ROOM * max(larger.shape[:2]))
    padded = np.pad(larger, ((room, room), (room, room), (0, 0)), mode="edge")
    out = []
    for face in look(padded):
        mask = face.mask[room:-room, room:-room][::factor, ::factor]
        if mask.any():
            left, top, right, bottom = ((end - room) / factor for end in face.box)
            out.append(replace(face, box=(left, top, right, bottom), mask=np.ascontiguousarray(mask)))
    return out


def patches(shape: tuple[int, int], x: float, y: float, side: float) -> Mask:
    """Mark cheeks and nose of a face whose middle and width are known; foreheads are often under hair."""
    rows, columns = np.mgrid[: shape[0], : shape[1]]
    across, down = np.abs(columns + 0.5 - x) / side, (rows + 0.5 - y) / side
    cheeks = (across < 0.24) & (down > 0.0) & (down < 0.18)
    nose = (across < 0.06) & (down > -0.2) & (down < 0.18)
    marked: Mask = cheeks | nose
    return marked


def _apart(faces: list[Face]) -> list[Face]:
    """Keep one of several finds of the same face."""
    kept: list[Face] = []
    for face in faces:
        x, y = (face.box[0] + face.box[2]) / 2, (face.box[1] + face.box[3]) / 2
        if not any(other.box[0] < x < other.box[2] and other.box[1] < y < other.box[3] for other in kept):
            kept.append(face)
    return kept


def _shrunk(rgb: Pixels, longest: int) -> tuple[Pixels, float]:
    from PIL import Image

    height, width = rgb.shape[:2]
    scale = max(height, width) / longest
    if scale <= 1:
        return rgb, 1.0
    size = (max(1, round(width / scale)), max(1, round(height / scale)))
    return np.asarray(Image.fromarray(rgb).resize(size, Image.Resampling.BOX)), width / size[0]


def _filled(points: NDArray[np.float64], shape: tuple[int, int], scale: float) -> Mask:
    """Fill the hull of some points, made larger or smaller about its middle."""
    from PIL import Image, ImageDraw
    from scipy.spatial import ConvexHull

    middle = points.mean(axis=0)
    outline = middle + scale * (points[ConvexHull(points).vertices] - middle)
    canvas = Image.new("1", (shape[1], shape[0]))
    ImageDraw.Draw(canvas).polygon([(float(px), float(py)) for px, py in outline], fill=1)
    return np.array(canvas)
