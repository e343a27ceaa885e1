"""Placeholder."""

import os

from hardwon.adapters.git.process import main_work_tree, top_of
from hardwon.domain.model.project import Identity


def identify(folder: str) -> Identity:
    real = os.path.realpath(folder)
    top = top_of(real)
    if top is None:
        return Identity(real, real)
    key = os.path.join(main_work_tree(real), ".git")
    return Identity(key, top, True)
