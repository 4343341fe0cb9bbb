"""What flows work with: the parts of one open Recollect, wired once by `memory.py`."""

from dataclasses import dataclass

from recollect.core.clock import Clock
from recollect.core.settings import Settings
from recollect.db.database import Database
from recollect.providers.calibration import Calibration
from recollect.providers.embedding.base import Embedder
from recollect.providers.language import LanguageModel
from recollect.records.bm25 import TYPICAL_LENGTH
from recollect.records.lifecycle import Rules
from recollect.retrieval.search import Searcher


@dataclass(frozen=True, slots=True)
class Parts:
    """The parts of one open Recollect."""

    settings: Settings
    clock: Clock
    database: Database
    embedder: Embedder
    calibration: Calibration
    model: LanguageModel | None
    rules: Rules
    searcher: Searcher

    def mean_length(self, space: str) -> float:
        """The mean length that the space's term weights are made with, as far as it is known."""
        known = self.searcher.known.get(space)
        return (known and known.weighted_length) or TYPICAL_LENGTH
