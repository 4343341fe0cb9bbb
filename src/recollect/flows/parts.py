"""What flows work with: the parts of one open Recollect, wired once by `memory.py`."""

from dataclasses import dataclass, field

from recollect.core.clock import Clock
from recollect.core.settings import Settings
from recollect.core.tokens import Estimator, TokenCounter
from recollect.db.database import Database
from recollect.flows.breaker import Breaker
from recollect.graph.reading import GraphReader
from recollect.graph.walking import PostgresGraph
from recollect.providers.calibration import Calibration
from recollect.providers.embedding.base import Embedder
from recollect.providers.language import LanguageModel
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
    counter: TokenCounter = field(default_factory=Estimator)
    breaker: Breaker = field(default_factory=Breaker)

    @property
    def graph(self) -> GraphReader:
        """What answers walks in the graph."""
        return PostgresGraph(self.database, self.rules)
