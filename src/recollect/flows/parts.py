"""What flows work with: the parts of one open Recollect, wired once by `memory.py`."""

from dataclasses import dataclass, field, replace

from recollect.checkpoints.service import OddThreads
from recollect.core.clock import Clock
from recollect.core.keyring import Keyring
from recollect.core.settings import Settings
from recollect.core.tokens import Estimator, TokenCounter
from recollect.db.database import Database
from recollect.flows.breaker import Breaker
from recollect.governance.spend import Governor
from recollect.graph.projection.driver import Neo4j
from recollect.graph.projection.reading import EitherGraph, Neo4jGraph
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
    governor: Governor
    counter: TokenCounter = field(default_factory=Estimator)
    breaker: Breaker = field(default_factory=Breaker)
    odd_threads: OddThreads = field(default_factory=OddThreads)
    neo4j: Neo4j | None = None
    """Where the graph is projected to, if it is."""

    def answering(self) -> "Parts":
        """The same, with searches that find nothing where nothing answers."""
        return replace(self, searcher=self.searcher.answering())

    @property
    def graph(self) -> GraphReader:
        """What answers walks in the graph."""
        postgres = PostgresGraph(self.database, self.rules)
        if self.neo4j is None:
            return postgres
        return EitherGraph(self.database, postgres, Neo4jGraph(self.database, self.rules, self.neo4j), self.neo4j)

    @property
    def keyring(self) -> Keyring:
        """The keys of what was forgotten."""
        key = self.settings.tombstone_key
        return Keyring(self.settings.data_dir, key.get_secret_value() if key else None)
