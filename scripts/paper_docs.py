"""Turn the Markdown of `fairgroups paper` into the page of the documentation: the tables, and some of the figures.

python scripts/paper_docs.py paper/ docs/
"""

from __future__ import annotations

import re
import shutil
import sys
from pathlib import Path

KEPT = {"grid": "paper-grid.svg", "k-means-clipped": "paper-k-means.svg", "fairgroups-clipped": "paper-fairgroups.svg"}
INTRO = """`fairgroups paper` (or `make paper`) makes these tables and all figures as one HTML file; with faces
(`--table`, `--second-table`: see [Faces](faces.md)) also its second half. Here the faces are 16 724 women of CelebA
and, for want of FFHQ, 9 284 of UTKFace, with tones by an open estimator. Both are for research only, not shipped.
"""


def main() -> None:
    """Write the page."""
    source, target = Path(sys.argv[1]), Path(sys.argv[2])
    text = (source / "paper.md").read_text(encoding="utf-8")
    title, rest = text.split("\n", 1)

    def figure(found: re.Match[str]) -> str:
        name = found.group(2)
        if name not in KEPT:
            return ""
        shutil.copy(source / "figures" / f"{name}.svg", target / "images" / KEPT[name])
        return f"![{found.group(1)}](images/{KEPT[name]})\n\n"

    body = re.sub(r"!\[(.*?)\]\(figures/(.*?)\.svg\)\n\n", figure, rest)
    (target / "paper.md").write_text(f"# The paper, run again\n\n{INTRO}{body}", encoding="utf-8")
    print(f"{target / 'paper.md'} ({title[2:]})")


if __name__ == "__main__":
    main()
