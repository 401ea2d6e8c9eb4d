"""Faces of known skin colour, drawn and lit as a test says."""

from __future__ import annotations

import numpy as np

from fairgroups.skin.colour import linear_to_srgb, srgb_to_linear

# Ten tones from very light to very dark, in the hues of skin.
TONES = [
    (244, 226, 210),
    (240, 208, 180),
    (228, 184, 148),
    (214, 165, 120),
    (198, 140, 96),
    (168, 112, 74),
    (138, 88, 58),
    (104, 66, 44),
    (74, 48, 36),
    (50, 35, 28),
]


def draw_face(rgb, size=256, *, light=(1.0, 1.0, 1.0), shading=0.0, side=0.0, card=False, noise=0.0, seed=0):
    """Draw a face from the front: hair, brows, eyes, nose, mouth, neck.

    `shading` darkens it towards its edge as a rounded face in light from the front does, `side` from one side to the
    other; `light` multiplies linear light, and a `card` of 18 % grey lies in the upper left corner.
    """
    from PIL import Image, ImageDraw, ImageFilter

    s = 2 * size
    tone = np.array(rgb, dtype=float)
    skin, dark = (tuple(int(x) for x in tone * share) for share in (1.0, 0.75))
    hair = (35, 25, 20)
    image = Image.new("RGB", (s, s), (90, 110, 140))
    pen = ImageDraw.Draw(image)

    def oval(left, top, right, bottom, colour):
        pen.ellipse([s * left, s * top, s * right, s * bottom], fill=colour)

    oval(0.22, 0.08, 0.78, 0.75, hair)
    pen.rectangle([s * 0.4, s * 0.75, s * 0.6, s], fill=skin)
    oval(0.27, 0.15, 0.73, 0.88, skin)
    for x in (0.39, 0.61):
        oval(x - 0.065, 0.41, x + 0.065, 0.48, dark)
        oval(x - 0.05, 0.42, x + 0.05, 0.47, (240, 240, 240))
        oval(x - 0.022, 0.423, x + 0.022, 0.467, (40, 25, 15))
        pen.rounded_rectangle([s * (x - 0.07), s * 0.36, s * (x + 0.07), s * 0.385], s * 0.01, fill=hair)
    shadow = tuple(int(x) for x in tone * 0.93)
    pen.polygon([(s * 0.5, s * 0.45), (s * 0.455, s * 0.61), (s * 0.545, s * 0.61)], fill=shadow)
    oval(0.46, 0.59, 0.49, 0.62, dark)
    oval(0.51, 0.59, 0.54, 0.62, dark)
    oval(0.41, 0.69, 0.59, 0.75, (150, 60, 60))
    pen.line([s * 0.41, s * 0.72, s * 0.59, s * 0.72], fill=(90, 30, 30), width=int(s * 0.008))
    if card:
        grey = round(float(linear_to_srgb(0.18)) * 255)
        pen.rectangle([s * 0.02, s * 0.02, s * 0.16, s * 0.16], fill=(grey, grey, grey))
    small = image.filter(ImageFilter.GaussianBlur(s * 0.004)).resize((size, size), Image.Resampling.LANCZOS)
    linear = srgb_to_linear(np.asarray(small) / 255)
    across = (np.arange(size) + 0.5) / size - 0.5
    down = ((np.arange(size) + 0.5) / size - 0.515)[:, None]
    edge = np.clip((across / 0.23) ** 2 + (down / 0.365) ** 2, 0.0, 1.0)
    lit = 1 - shading * (1 - np.sqrt(1 - edge)) + side * np.clip(across / 0.23, -1, 1)
    if card:
        lit = np.where((across < -0.33) & (down < -0.35), 1.0, lit)
    rng = np.random.default_rng(seed)
    out = linear * lit[..., None] * np.asarray(light) * (1 + noise * rng.standard_normal((size, size, 1)))
    return np.round(linear_to_srgb(np.clip(out, 0, 1)) * 255).astype(np.uint8)


def half_lit(photo, share, dark=0.08, soft=0.02):
    """Put a share of a drawn face, from its left, into shadow that lets this much of the light through."""
    width = photo.shape[1]
    across = (np.arange(width) + 0.5) / width
    lit = dark + (1 - dark) / (1 + np.exp(-(across - (0.27 + 0.46 * share)) / soft))
    linear = srgb_to_linear(photo / 255) * lit[None, :, None]
    return np.round(linear_to_srgb(np.clip(linear, 0, 1)) * 255).astype(np.uint8)


def toned(photo, tint):
    """Make a picture black and white and tone it, as old prints and scans are."""
    grey = photo.astype(float).mean(axis=-1, keepdims=True)
    return np.clip(grey * np.asarray(tint), 0, 255).astype(np.uint8)


def with_spectacles(photo):
    """Put dark spectacles on a drawn face."""
    from PIL import Image, ImageDraw

    image = Image.fromarray(photo)
    pen, s = ImageDraw.Draw(image), photo.shape[0]
    for x in (0.39, 0.61):
        pen.ellipse([s * (x - 0.08), s * 0.39, s * (x + 0.08), s * 0.5], fill=(25, 25, 30))
    pen.line([s * 0.45, s * 0.43, s * 0.55, s * 0.43], fill=(25, 25, 30), width=max(2, s // 60))
    return np.asarray(image)
