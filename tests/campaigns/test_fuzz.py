"""Every parser and a live server are given damaged inputs: each is read or refused by name, in time."""

import json
import random
import time
from typing import Any

import pytest

from tests.campaigns.campaign import Figures
from tests.campaigns.mutations import mutated
from tests.campaigns.parsers import PARSERS, Parser
from tests.entrypoints.hook_process import World
from tests.entrypoints.mcp.clients import LESSON, RawClient

pytestmark = pytest.mark.soak

INPUTS = 4_000
FRAMES = 5_000
LONGEST_SECONDS = 5.0
"""CPU time of one input, which has at most 200,000 bytes."""

FRAME_SEEDS = 4
ARGUMENTS: dict[str, dict[str, object]] = {
    "store_memory": dict(LESSON),
    "memory_search": {"query": "number without its unit", "limit": 5, "explain": True},
    "memory_list": {"limit": 3, "sortBy": "updated_at"},
    "memory_load": {"id": 1},
    "memory_match_triggers": {"prompt": "how is a number read?"},
    "memory_update": {"id": 1, "title": "A unit"},
    "memory_validate": {"id": 1, "wasUseful": True},
    "memory_stats": {},
    "memory_save": {"filePath": "memory/a.md"},
    "checkpoint_list": {},
}


def read_one(name: str, parser: Parser, data: bytes, figures: Figures) -> None:
    started = time.process_time()
    try:
        parser.read(data)
    except parser.refusals:
        figures["refused"] += 1
    except Exception as error:  # noqa: BLE001  # it is what is searched
        figures["tracebacks"] += 1
        print(f"{name}: {type(error).__name__}: {str(error)[:200]!r} on {data[:400]!r}")  # noqa: T201
    figures["inputs"] += 1
    figures["slow"] += time.process_time() - started > LONGEST_SECONDS


@pytest.mark.parametrize("name", PARSERS)
def test_a_parser_reads_or_refuses_whatever_it_is_given(name: str, figures: Figures) -> None:
    figures.counts("inputs", "refused", "tracebacks", "slow")
    parser, chance = PARSERS[name], random.Random(name)
    for good in parser.good:
        parser.read(good)
    for _ in range(INPUTS):
        read_one(name, parser, mutated(chance.choice(parser.good), chance), figures)

    assert figures.bad == {}


def frames(chance: random.Random) -> bytes:
    """Return one line that a broken client could send."""
    tool = chance.choice([*ARGUMENTS])
    arguments = dict(ARGUMENTS[tool])
    if arguments and chance.random() < 0.5:
        arguments[chance.choice([*arguments])] = chance.choice(
            ["", "x" * 5_000, -1, 10**30, None, [], {}, True, "\0"]
        )
    message: Any = {"jsonrpc": "2.0", "id": chance.randrange(10**6), "method": "tools/call"}
    message["params"] = {"name": tool, "arguments": arguments}
    line = json.dumps(message).encode()
    return mutated(line, chance).replace(b"\n", b" ") if chance.random() < 0.7 else line


@pytest.mark.parametrize("seed", range(FRAME_SEEDS))
def test_a_server_answers_whatever_frames_come(
    empty_world: World, figures: Figures, seed: int
) -> None:
    figures.counts("frames", "not answered", "tracebacks")
    client = RawClient(empty_world)
    chance = random.Random(seed)
    client.initialize()
    for number in range(FRAMES):
        client.send(frames(chance))
        figures["frames"] += 1
        if number % 20 == 0 and not is_alive(client, number):
            figures["not answered"] += 1
            break
    ran, _ = client.end()
    figures["tracebacks"] += "Traceback" in ran.stderr

    assert figures.bad == {}
    assert ran.code == 0, ran.stderr


def is_alive(client: RawClient, number: int) -> bool:
    """Return whether the server answers a ping, after whatever it had still to answer."""
    name = f"ping {number}"
    client.send({"jsonrpc": "2.0", "id": name, "method": "ping"})
    try:
        while client.receive().get("id") != name:
            pass
    except (AssertionError, ValueError):
        return False
    return True
