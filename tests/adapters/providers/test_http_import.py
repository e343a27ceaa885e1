import subprocess
import sys

RACE = """
import threading
from hardwon.adapters.providers.http import _import_httpx
troubles = []
gate = threading.Barrier(4)
def first():
    gate.wait()
    try:
        _import_httpx()
        import httpx
        httpx.Client
    except BaseException as error:
        troubles.append(repr(error))
threads = [threading.Thread(target=first) for _ in range(4)]
[thread.start() for thread in threads]
[thread.join() for thread in threads]
print(troubles)
"""


def test_several_threads_may_be_the_first_to_ask() -> None:
    for _ in range(3):
        done = subprocess.run(
            [sys.executable, "-c", RACE], capture_output=True, text=True, check=True
        )
        assert done.stdout.strip() == "[]"
