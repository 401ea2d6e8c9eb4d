"""The look of every picture, and how it is rendered: SVG or PNG, without any network.

Colours are those of Okabe and Ito, which people with any colour vision can tell apart; shapes repeat what they say.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any
from zlib import crc32

from fairgroups.measures import Direction
from fairgroups.words import clean

__all__ = [
    "COLOUR_NAMES",
    "GRID_COLOUR",
    "INK",
    "LINE_COLOUR",
    "VERDICT_COLOURS",
    "VERDICT_SHAPES",
    "fitting_svg",
    "legend",
    "names_above",
    "rate_colours",
    "shown_offline",
    "to_png",
    "to_svg",
    "verdict_colour",
]

# Orange is harm and blue is advantage, in every picture; purples where nobody has said what is good for a person.
VERDICT_COLOURS = {
    "disadvantaged": "#D55E00",
    "advantaged": "#0072B2",
    "lower": "#CC79A7",
    "higher": "#7E4794",
    "depends": "#7E4794",
    "no relevant difference": "#009E73",
    "no difference found": "#009E73",
    "reference": "#767676",
    "nobody to compare with": "#767676",
    "not enough evidence": "#767676",
}
COLOUR_NAMES = {
    "#D55E00": "Orange",
    "#0072B2": "Blue",
    "#CC79A7": "Pink",
    "#7E4794": "Purple",
    "#009E73": "Green",
    "#767676": "Grey",
}
VERDICT_SHAPES = {
    "disadvantaged": "square",
    "lower": "triangle-down",
    "advantaged": "diamond",
    "higher": "triangle-up",
    "depends": "circle",
    "no relevant difference": "circle",
    "no difference found": "circle",
    "reference": "circle",
    "nobody to compare with": "stroke",
    "not enough evidence": "cross",
}
_ENDS = {
    "better": ("disadvantaged", "advantaged"),
    "worse": ("advantaged", "disadvantaged"),
    "neutral": ("lower", "higher"),
}


def rate_colours(direction: Direction) -> tuple[str, str, str]:
    """Return the colours of low, middle and high rates, which mean what verdicts of these colours mean."""
    low, high = _ENDS[direction]
    return VERDICT_COLOURS[low], "#f2f2f2", VERDICT_COLOURS[high]


# The renderer measures text in Liberation Sans, which is as wide as Arial and Helvetica; other fonts get some room.
_FONT = "system-ui, -apple-system, 'Segoe UI', 'Liberation Sans', Arial, sans-serif"
WIDE, NARROW = 980, 330  # of pictures in pages: on a desk, and on a telephone
_OF_EVERY_OBJECT = {  # an axis with such a title is an error in Vega
    "constructor",
    "hasOwnProperty",
    "isPrototypeOf",
    "propertyIsEnumerable",
    "toLocaleString",
    "toString",
    "valueOf",
    "__proto__",
    "__defineGetter__",
    "__defineSetter__",
    "__lookupGetter__",
    "__lookupSetter__",
}
INK = "#333333"
GRID_COLOUR = "#e6e6e6"
LINE_COLOUR = "#999999"
_STYLE: dict[str, Any] = {
    "font": _FONT,
    "view": {"stroke": None},
    "axis": {
        "labelColor": INK,
        "titleColor": INK,
        "gridColor": GRID_COLOUR,
        "domainColor": LINE_COLOUR,
        "tickColor": LINE_COLOUR,
        "titleFontWeight": "normal",
        "titleFontSize": 12,
        "labelFontSize": 12,
    },
    "axisX": {"grid": False},
    "axisQuantitative": {"labelOverlap": True, "labelSeparation": 8},
    "axisY": {
        "domain": False,
        "ticks": False,
        "titleAngle": 0,
        "titleAlign": "left",
        "titleAnchor": "end",
        "titleY": -8,
    },
}


def to_svg(chart: Any, width: int | None = None) -> str:
    """Render a chart as SVG text, without any network; as wide as is said, axes and all."""
    return _svg(_spec(chart), width)


def _spec(chart: Any) -> dict[str, Any]:
    """Return what a chart specifies, in our font and colours, as the renderer takes it."""
    spec: dict[str, Any] = chart.to_dict(validate=False)
    config = spec.get("config", {})
    ours = {
        key: {**config.get(key, {}), **value} if isinstance(value, dict) else value for key, value in _STYLE.items()
    }
    found: dict[str, Any] = _drawable({**spec, "config": {**config, **ours}})
    return found


def _svg(spec: dict[str, Any], width: int | None) -> str:
    import vl_convert as vlc

    return _numbered(vlc.vegalite_to_svg(json.dumps(spec if width is None else _at_width(spec, width))))


def _numbered(svg: str) -> str:
    """Return a picture whose gradients are called by what it shows: the renderer counts them as long as it runs."""
    names = list(dict.fromkeys(re.findall(r'id="((?:gradient|clip)_?\d+)"', svg)))
    parts = re.split(rf'((?<=id=")|(?<=url\(#)|(?<=href="#))({"|".join(names)})\b', svg) if names else [svg]
    bare = re.sub(rf"(?:{'|'.join(names)})\b", "", svg) if names else svg
    mark = f"g{crc32(bare.encode()):08x}_"
    return "".join(f"{mark}{names.index(part)}" if part in names else part for part in parts)


def shown_offline(chart: Any) -> Any:
    """Return the chart, which a notebook then shows as SVG, without a network; what is made of it is Altair's again."""

    def bundle(include: Any = None, exclude: Any = None) -> dict[str, str]:  # noqa: ARG001  what IPython passes
        return {"image/svg+xml": to_svg(chart)}

    object.__setattr__(chart, "_repr_mimebundle_", bundle)
    return chart


def fitting_svg(chart: Any) -> str:
    """Render a chart twice, for a desk and for a telephone; the page shows the one that fits."""
    spec = _spec(chart)
    config = spec["config"]
    narrow = {**spec, "config": {**config, "legend": {**config.get("legend", {}), "columns": 2}}}
    return f'<div class="wide">{_svg(spec, WIDE)}</div><div class="narrow">{_svg(narrow, NARROW)}</div>'


def _at_width(spec: dict[str, Any], width: int) -> dict[str, Any]:
    """Return the specification of a chart that is so wide; where it is narrow, panels go below each other."""
    panels = spec.get("hconcat") or spec.get("vconcat")
    if panels is None:
        fits = {} if isinstance(spec.get("width"), dict) else {"width": width}
        return {**spec, **fits, "autosize": {"type": "fit-x", "contains": "padding"}}
    beside = "hconcat" in spec and width > 2 * NARROW
    room = width // len(panels) - 70 if beside else width - 70
    kept = {key: value for key, value in spec.items() if key not in ("hconcat", "vconcat")}
    return {**kept, "hconcat" if beside else "vconcat": [{**panel, "width": room} for panel in panels]}


def to_png(chart: Any, scale: float = 2.0) -> bytes:
    """Render a chart as a PNG picture on white, without any network."""
    import vl_convert as vlc

    spec = {**_spec(chart), "background": "white", "padding": 10}
    return bytes(vlc.vegalite_to_png(json.dumps(spec), scale=scale))


def _drawable(value: Any) -> Any:
    """Return a specification that the renderer takes: clean, and without texts that mean something in JavaScript."""
    if isinstance(value, dict):
        return {key: _drawable(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_drawable(item) for item in value]
    value = clean(value)
    return value + "\u200c" if isinstance(value, str) and value in _OF_EVERY_OBJECT else value


def names_above(alt: Any) -> Any:
    """Return an axis of groups whose names stand above their marks, where there is room for them on any screen."""
    return alt.Axis(
        labelAlign="left", labelPadding=0, labelOffset=-15, labelLimit=600, labelFontSize=13, grid=False, zindex=1
    )


def legend(alt: Any) -> Any:
    """Return a legend above the chart."""
    return alt.Legend(title=None, orient="top", columnPadding=36, labelFontSize=12, symbolOpacity=1, offset=22)


def verdict_colour(alt: Any, present: Sequence[str]) -> Any:
    """Encode the verdict as colour, with a legend of those that occur."""
    shown = list(dict.fromkeys(present))
    return alt.Color(
        "verdict:N",
        scale=alt.Scale(domain=shown, range=[VERDICT_COLOURS[v] for v in shown]),
        legend=legend(alt),
    )
