"""Draw docs/images/report.png again: the demo's study, its report, and a browser that photographs it.

python docs/report_picture.py [FOLDER]      (needs Chromium: `make browser` says how to get one)
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
SWITCHES = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--hide-scrollbars",
)


def photographed(page: Path, picture: Path, width: int, height: int) -> None:
    """A picture of the top of a page."""
    browser = next(filter(None, map(shutil.which, BROWSERS)), None)
    if browser is None:
        sys.exit("no Chromium on this machine; `make browser` says how to get one")
    with tempfile.TemporaryDirectory() as profile:
        seen = [f"--user-data-dir={profile}", f"--screenshot={picture.resolve()}", f"--window-size={width},{height}"]
        subprocess.run([browser, *SWITCHES, *seen, page.resolve().as_uri()], check=True, capture_output=True, timeout=120)


def main(folder: Path) -> None:
    """Run the demo, or go on with it, and photograph its report."""
    subprocess.run([sys.executable, "-m", "casmopolitan", "demo", "--folder", str(folder)], check=True)
    picture = Path(__file__).parent / "images" / "report.png"
    photographed(folder / "demo-report.html", picture, 1400, 1250)
    from PIL import Image

    image = Image.open(picture).convert("P", palette=Image.Palette.ADAPTIVE, colors=96)
    image.save(picture, optimize=True)
    print(f"{picture}  {picture.stat().st_size // 1024} kB")


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "build/demo"))
