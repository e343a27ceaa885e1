"""Where a Chromium is: the system's, or Playwright's own. As a program it ends with 1 where there is none."""

import os
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from playwright.sync_api import Browser, Playwright, sync_playwright

NAMES = ("chromium", "chromium-browser", "google-chrome")
FLAGS = (
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


def path_of_chromium(playwright: Playwright) -> str | None:
    """Return the path of the system's Chromium, else of Playwright's; None without one."""
    own = playwright.chromium.executable_path
    return next(filter(None, map(shutil.which, NAMES)), own if os.path.exists(own) else None)


@contextmanager
def chromium() -> Iterator[Browser | None]:
    """Start it without a window, None where there is none; as root it has no sandbox."""
    as_root = ("--no-sandbox",) if os.geteuid() == 0 else ()
    with sync_playwright() as playwright:
        path = path_of_chromium(playwright)
        browser = (
            playwright.chromium.launch(executable_path=path, args=[*FLAGS, *as_root])
            if path
            else None
        )
        yield browser
        if browser:
            browser.close()


if __name__ == "__main__":
    with sync_playwright() as found:
        sys.exit(path_of_chromium(found) is None)
