"""
Run a program on which file modes bind: `python without_powers.py PROGRAM [its arguments]`.

Root may read and write whatever the modes say. On Linux these are capabilities, and a process
that has given them up can't get them back by starting another program.
"""

import ctypes
import os
import sys

PR_CAPBSET_DROP = 24
OVERRIDE_MODES = (1, 2, 3)  # CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH, CAP_FOWNER


def give_up_powers() -> None:
    for capability in OVERRIDE_MODES:
        if ctypes.CDLL(None, use_errno=True).prctl(PR_CAPBSET_DROP, capability, 0, 0, 0):
            raise OSError(ctypes.get_errno(), "the capability stays")


if __name__ == "__main__":
    if os.geteuid() == 0:
        give_up_powers()
    os.execv(sys.argv[1], sys.argv[1:])  # noqa: S606 - the program is the test's own
