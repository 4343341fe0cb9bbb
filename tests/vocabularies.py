"""Real vocabularies to count by, out of a package on the index; fetched once, then read from a cache folder.

The wheel of litellm carries the files of several tokenizers. It is downloaded without its dependencies, in a version
that is one small wheel for every platform, and only the vocabularies are kept.
"""

import os
import subprocess
import sys
from functools import cache
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from zipfile import ZipFile

from recollect.core.tokens import ExactCounter, TokenCounter, counter_for

PACKAGE = "litellm==1.60.0"
FOLDER = "litellm/litellm_core_utils/tokenizers/"
# By name, as tiktoken calls them in its cache: the hash of where they come from.
ANTHROPIC = "anthropic_tokenizer.json"
CL100K = "9b5ad71b2ce5302211f9c61530b329a4922fc6a4"
O200K = "fb374d419588a4632f3f557e76b4b70aebbca790"
CHECKSUMS = {
    ANTHROPIC: "c241737df24b4e7f7c9af4fdcee29a0ca903dcb288a8b753bc346a3092911767",
    CL100K: "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7",
    O200K: "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d",
}


@cache
def anthropic() -> TokenCounter:
    """The tokenizer that Anthropic published, by its tokenizer.json."""
    return ExactCounter(_folder() / ANTHROPIC)


@cache
def cl100k() -> TokenCounter:
    """OpenAI's cl100k_base."""
    return _tiktoken("cl100k_base")


@cache
def o200k() -> TokenCounter:
    """OpenAI's o200k_base."""
    return _tiktoken("o200k_base")


def _tiktoken(name: str) -> TokenCounter:
    os.environ["TIKTOKEN_CACHE_DIR"] = str(_folder())
    return counter_for(f"tiktoken:{name}")


@cache
def _folder() -> Path:
    """The folder with the vocabularies, filled if need be."""
    root = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    folder = root / "recollect-tests" / PACKAGE.replace("==", "-")
    if not all(_sound(folder / name) for name in CHECKSUMS):
        _fill(folder)
    return folder


def _sound(path: Path) -> bool:
    return path.is_file() and sha256(path.read_bytes()).hexdigest() == CHECKSUMS[path.name]


def _fill(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(dir=folder) as place:
        download = ("-m", "pip", "download", "--quiet", "--no-deps", "--only-binary", ":all:", "--dest", place)
        subprocess.run([sys.executable, *download, PACKAGE], check=True)
        (wheel,) = Path(place).glob("*.whl")
        with ZipFile(wheel) as archive:
            for name, checksum in CHECKSUMS.items():
                data = archive.read(FOLDER + name)
                if sha256(data).hexdigest() != checksum:
                    raise RuntimeError(f"{name} in {wheel.name} is not the file that the tests were written for")
                # Renamed into place, for several test processes at once.
                whole = Path(place) / name
                whole.write_bytes(data)
                whole.replace(folder / name)
