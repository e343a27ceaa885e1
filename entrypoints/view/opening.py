"""The file that a browser opens: its form sends the one-time token, so that no command line holds that."""

import contextlib
import os
import shutil
import tempfile
import time
from pathlib import Path

LASTS_SECONDS = 60.0
"""How long a browser has to open the file before it is removed."""

FORM = """\
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="referrer" content="no-referrer">
<title>hardwon</title>
</head>
<body>
<form method="post" action="{address}">
<input type="hidden" name="token" value="{token}">
<button>Open the memory</button>
</form>
<script>document.forms[0].submit()</script>
</body>
</html>
"""
"""A browser without JavaScript shows the button."""


class OpeningFile:
    """
    A file that only its owner can read, in a folder of its own.

    Args:
        address: Where the form is sent.
        token: The one-time token.

    Raises:
        OSError: it can't be written.
    """

    def __init__(self, address: str, token: str) -> None:
        self._folder = tempfile.mkdtemp(prefix="hardwon-view-")  # of mode 0700
        self._made_at = time.monotonic()
        self.path = os.path.join(self._folder, "open.html")
        number = os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(number, "w", encoding="utf-8") as file:
            file.write(FORM.format(address=address, token=token))

    @property
    def address(self) -> str:
        """The address of the file."""
        return Path(self.path).as_uri()

    @property
    def is_old(self) -> bool:
        """Whether a browser had its time."""
        return time.monotonic() - self._made_at > LASTS_SECONDS

    def remove(self) -> None:
        """Remove it; nothing happens where it is gone."""
        with contextlib.suppress(OSError):
            shutil.rmtree(self._folder)
