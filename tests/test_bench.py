import json
import os
import subprocess
import sys

import pytest

from tests.waiting import LONGEST_WAIT

OF_THE_PLUGIN = {
    f"plugin_{event}" for event in ("precompact", "sessionend", "sessionstart", "stop", "userpromptsubmit")
}
FIGURES = {
    *OF_THE_PLUGIN,
    "build",
    "capture_worker",
    "choose_all",
    "choose_pruned",
    "chunking_rate",
    "compute",
    "compute_and_load",
    "compute_words",
    "cosine",
    "embedding_rate",
    "hook_conversations",
    "hook_conversations_keyword",
    "hook_embedded",
    "hook_embedded_memory",
    "hook_embedded_wall",
    "hook_keyword",
    "hook_keyword_memory",
    "hook_keyword_wall",
    "hook_markdown",
    "hook_precompact",
    "hook_prompt_embedded",
    "hook_prompt_silent",
    "hook_sessionend",
    "hook_stop",
    "hook_stop_injected",
    "hook_userpromptsubmit",
    "import",
    "import_rate",
    "load",
    "modules_keyword",
    "recall_p50",
    "recall_p95",
    "recall_process",
    "server",
    "server_first_answer",
    "server_memory",
    "server_ping",
    "store_memory_p50",
    "store_memory_p95",
    "transcript_memory",
    "transcript_rate",
    "upsert",
}
WITH_A_RATIO = {
    *OF_THE_PLUGIN,
    *("choose_all", "hook_embedded", "hook_keyword", "hook_markdown", "import", "recall_process", "upsert"),
    *("server", "store_memory_p50", "store_memory_p95", "hook_conversations", "hook_conversations_keyword"),
    *("hook_prompt_embedded", "hook_prompt_silent"),
    *("capture_worker", "hook_precompact", "hook_sessionend", "hook_stop", "hook_userpromptsubmit"),
    "hook_stop_injected",
}
OF_SEARCHES = {
    f"{kind}_{share}"
    for kind in ("search_hybrid", "search_vector", "search_keyword", "match_triggers")
    for share in ("p50", "p95")
}


@pytest.mark.soak
def test_the_bench_measures_every_figure() -> None:
    smallest = ["--sizes", "200", "--lessons", "10", "--repetitions", "1", "--json"]
    done = subprocess.run(
        [sys.executable, "-m", "bench", *smallest],
        check=True,
        cwd=os.path.dirname(os.path.dirname(__file__)),
        stdout=subprocess.PIPE,
        text=True,
        timeout=LONGEST_WAIT,
    )
    figures = json.loads(done.stdout)["figures"]

    assert {figure["name"] for figure in figures} == FIGURES | OF_SEARCHES
    assert all(figure["value"] > 0 for figure in figures)
    assert {figure["name"] for figure in figures if figure["ratio"]} == WITH_A_RATIO | OF_SEARCHES
    assert all(figure["ratio"] > 0 for figure in figures if figure["ratio"] is not None)
