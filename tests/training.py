"""What the recipes of our models need beside the project itself, and a recipe run in small."""

import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]

needs_torch = pytest.mark.skipif(
    any(find_spec(name) is None for name in ("torch", "transformers", "onnx")),
    reason="torch, transformers and onnx are not installed: ./dev recipes installs them and runs this",
)


def made_in_small(recipe: str, out: Path) -> str:
    """What `python -m train.… make --smoke` says, once it has written a model."""
    command = [sys.executable, "-m", f"train.{recipe}", "make", "--smoke", "--out", str(out)]
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    return ran.stdout
