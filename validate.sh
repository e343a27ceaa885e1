#!/usr/bin/env bash
# Byte-compile every module, then run all static checks (requirement A-AC13).
set -euo pipefail
cd "$(dirname "$0")"
make --silent setup
.venv/bin/python -m compileall -q -f domain ports adapters entrypoints tests bench examples
make --silent check
echo "validate: all modules compile, all checks pass"
