"""Make docs/images/report.png: run the demo and take a screenshot of its report.

python docs/report_screenshot.py [FOLDER]      (needs Chromium: `make browser` says how to get one)
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


def take_screenshot(page: Path, image: Path, width: int, height: int) -> None:
    """Write an image of the top of a page."""
    browser = next(filter(None, map(shutil.which, BROWSERS)), None)
    if browser is None:
        sys.exit("no Chromium on this machine; `make browser` says how to get one")
    with tempfile.TemporaryDirectory() as profile:
        options = [f"--user-data-dir={profile}", f"--screenshot={image.resolve()}", f"--window-size={width},{height}"]
        subprocess.run([browser, *SWITCHES, *options, page.resolve().as_uri()], check=True, capture_output=True, timeout=120)


def main(folder: Path) -> None:
    """Run or resume the demo and take a screenshot of its report."""
    subprocess.run([sys.executable, "-m", "casmopolitan", "demo", "--folder", str(folder)], check=True)
    target = Path(__file__).parent / "images" / "report.png"
    take_screenshot(folder / "demo-report.html", target, 1400, 1250)
    from PIL import Image

    image = Image.open(target).convert("P", palette=Image.Palette.ADAPTIVE, colors=96)
    image.save(target, optimize=True)
    print(f"{target}  {target.stat().st_size // 1024} kB")


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "build/demo"))
