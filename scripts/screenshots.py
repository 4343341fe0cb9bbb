"""Pictures of the console for the documentation, taken in Chromium of a month that is seeded for them.

python scripts/screenshots.py [FOLDER]      docs/images unless told otherwise
"""

import shutil
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "scripts")]

from console_world import Clock, Served, served  # noqa: E402
from recollect import Recollect  # noqa: E402

DESK, PHONE = {"width": 1280, "height": 800}, {"width": 390, "height": 844}


def shots(world: Served) -> list[tuple[str, str, str, dict[str, int]]]:
    """Name, path, colour scheme and size of each picture."""
    ids = world.world.ids
    [fact] = [fact for fact in world.do(world.world.me.profile()) if fact.key == "allergy"]
    return [
        ("overview", "/", "light", DESK),
        ("search", "/memories?q=Who+helps+with+the+greenhouse%3F", "light", DESK),
        ("graph", f"/graph/{ids['Jonas Berg']}?depth=3", "dark", DESK),
        ("memory", f"/memories/{fact.memory_ids[0]}", "dark", DESK),
        ("reviews", "/reviews", "light", DESK),
        ("phone", "/", "light", PHONE),
        ("phone-search", "/memories?q=Who+helps+with+the+greenhouse%3F", "dark", PHONE),
    ]


def take(browser: Browser, world: Served, folder: Path) -> None:
    """Take every picture."""
    for name, path, scheme, size in shots(world):
        context = browser.new_context(viewport=size, color_scheme=scheme, reduced_motion="reduce")
        page = context.new_page()
        page.goto(world.url + path, wait_until="networkidle")
        page.screenshot(path=folder / f"{name}.png")
        context.close()
        print(f"{name}.png: {(folder / f'{name}.png').stat().st_size // 1024} kB")


def main() -> None:
    """Seed, serve, and take them."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "docs" / "images"
    folder.mkdir(parents=True, exist_ok=True)
    program = shutil.which("chromium")
    with tempfile.TemporaryDirectory() as data, sync_playwright() as playwright:

        def open(clock: Clock) -> Recollect:
            return Recollect.open(data_dir=data, clock=clock, worker=False)

        with served(open) as world:
            browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
            take(browser, world, folder)
            browser.close()


if __name__ == "__main__":
    main()
