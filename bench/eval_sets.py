"""
Evaluation sets given to a bench command as folders.

A bad one ends the program with one line.
"""

import os
from collections.abc import Sequence

from hardwon.adapters.evaluation.files import JUDGEMENTS, names_of, read_eval_set
from hardwon.domain.model.errors import InvalidEvaluationError
from hardwon.domain.model.evaluation.eval_set import EvalSet, JudgedQuery


def read_sets(folders: Sequence[str]) -> list[EvalSet]:
    """
    Return the sets in *folders*, in order, named after them.

    Raises:
        SystemExit: one of them can't be read; exit code 1.
    """
    try:
        return [
            read_eval_set(folder, name)
            for folder, name in zip(folders, names_of(folders), strict=True)
        ]
    except InvalidEvaluationError as error:
        raise SystemExit(str(error)) from error


def read_sets_below(folder: str) -> list[EvalSet]:
    """
    Return the sets in the folders below *folder*, in the order of their names.

    Raises:
        SystemExit: there is none, or one can't be read; exit code 1.
    """
    below = sorted(os.listdir(folder)) if os.path.isdir(folder) else []
    folders = [os.path.join(folder, name) for name in below]
    sets = read_sets([path for path in folders if os.path.isfile(os.path.join(path, JUDGEMENTS))])
    if not sets:
        raise SystemExit(f"{folder}: holds no folder of an evaluation set")
    return sets


def relevant_documents(eval_set: EvalSet, asked: JudgedQuery) -> list[str]:
    """Return the ids of the documents that answer a question and can be found."""
    return [key for key, grade in asked.grades.items() if grade > 0 and key in eval_set.documents]
