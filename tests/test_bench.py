import json
import os
import subprocess
import sys

import pytest

from tests.machine import LONGEST_WAIT

OF_THE_PLUGIN = {
    f"plugin_{event}"
    for event in ("precompact", "sessionend", "sessionstart", "stop", "userpromptsubmit")
}
DOORS = {
    *(
        "start_new",
        "start_seen",
        "start_keyword",
        "prompt_silent",
        "prompt_captured",
        "prompt_searched",
    ),
    *("stop", "session_end", "recall", "stats"),
}
FIGURES = {
    *OF_THE_PLUGIN,
    *DOORS,
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
    "hook_embedded_wall",
    "hook_markdown",
    "hook_precompact",
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
    "search_after",
    "search_p50",
    "search_p95",
    "server",
    "server_first_answer",
    "server_memory",
    "server_peak",
    "server_ping",
    "server_private",
    "start_memory",
    "store_memory",
    "store_memory_p50",
    "store_memory_p95",
    "transcript_memory",
    "transcript_rate",
    "upsert",
    "where_prompt_searched",
    "where_recall",
    "where_start_new",
    "where_start_seen",
}
WITH_A_RATIO = {
    *OF_THE_PLUGIN,
    *DOORS,
    *("choose_all", "hook_markdown", "import", "upsert"),
    *(
        "server",
        "store_memory_p50",
        "store_memory_p95",
        "hook_conversations",
        "hook_conversations_keyword",
    ),
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
