#!/usr/bin/env bash
# Every module compiles, and every static check passes.
set -euo pipefail
cd "$(dirname "$0")"
make --silent setup lint typecheck
.venv/bin/python -m compileall -q -f domain ports adapters entrypoints tests bench tools examples
echo "validate: all modules compile, all checks pass"
