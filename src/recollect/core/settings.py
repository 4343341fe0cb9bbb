"""Every setting of Recollect, in one class.

A value comes from the first of: an argument of `Recollect.open(…)`, an environment variable
`RECOLLECT_…`, the TOML file (`RECOLLECT_CONFIG`, else `recollect.toml` in the working directory),
the default below. `docs/reference.md` holds the same table; a test keeps the two alike.
"""

import os
from pathlib import Path
from tomllib import TOMLDecodeError
from typing import Annotated, Any
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo

from pydantic import AfterValidator, Field, SecretStr, ValidationError
from pydantic_settings import (
    BaseSettings,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
    SettingsError,
    TomlConfigSettingsSource,
)

from recollect.core.errors import InvalidInput


def _zone(name: str) -> str:
    try:
        ZoneInfo(name)
    except (KeyError, OSError, ValueError) as error:
        raise ValueError(f"{name!r} is no time zone, such as Europe/Lisbon") from error
    return name


Zone = Annotated[str, AfterValidator(_zone)]

_BOLT = ("bolt", "bolt+s", "bolt+ssc", "neo4j", "neo4j+s", "neo4j+ssc")


def _bolt(url: str) -> str:
    """What the driver would refuse only when it is first used. The URL is not repeated: it may hold a password."""
    try:
        split = urlsplit(url)
        port = split.port
    except ValueError as error:
        raise ValueError("is no URL such as bolt://localhost:7687") from error
    if split.scheme not in _BOLT or not split.hostname or port == 0:
        raise ValueError(f"must be a URL such as bolt://localhost:7687; it begins with one of {', '.join(_BOLT)}")
    if split.username is not None or split.password is not None:
        raise ValueError("must not name a user or a password: neo4j_user and neo4j_password do")
    return url


BoltUrl = Annotated[str, AfterValidator(_bolt)]
Unit = Annotated[float, Field(ge=0, le=1)]
Positive = Annotated[int, Field(gt=0)]
Days = Annotated[float, Field(gt=0)]
Price = Annotated[float, Field(ge=0)]


def _default_data_dir() -> Path:
    base = os.environ.get("XDG_DATA_HOME") or str(Path.home() / ".local" / "share")
    return Path(base) / "recollect"


class Settings(BaseSettings):
    """All settings, checked. Unknown names are refused, so that a typing error does not pass in silence."""

    model_config = SettingsConfigDict(env_prefix="RECOLLECT_", extra="forbid", frozen=True)

    # Where things are
    data_dir: Path = Field(
        default_factory=_default_data_dir, description="Folder of the embedded server and of local files."
    )
    database_url: SecretStr | None = Field(
        None, description="PostgreSQL server to use instead of the embedded one; the owner's URL."
    )
    app_url: SecretStr | None = Field(
        None, description="URL of the application role, where the owner may not create roles."
    )
    pool_size: Positive = Field(10, description="Most connections of the application role in one process.")
    prepared_statements: bool = Field(
        True, description="Server-side prepared statements; off behind PgBouncer in transaction mode."
    )
    statement_timeout: Annotated[float, Field(ge=0)] = Field(
        0, description="Seconds after which the server stops a statement; 0 for none."
    )

    # Time and limits
    timezone: Zone = Field("UTC", description="Time zone of a space that names none.")
    message_bytes: Positive = Field(1_000_000, description="Largest memory or message, in bytes of UTF-8.")
    source_bytes: Positive = Field(64_000_000, description="Largest source, in bytes of UTF-8.")
    checkpoint_bytes: Positive = Field(
        16_000_000, description="Largest state of a checkpoint, or value of a graph's channel, in bytes."
    )
    checkpoint_versions: Positive = Field(
        1_000, description="Versions of a thread's state that are kept at least; older ones go, some at a time."
    )

    # Who may see what
    categories: str | None = Field(
        None, description="Categories and allowlists: path of a YAML file, read again when it changes, or YAML."
    )

    # Embedding
    embedder: str = Field(
        "recollect-recall-v2",
        description="`recollect-recall-v2`, `fake`, or `openai:MODEL` for any OpenAI-compatible endpoint.",
    )
    embedder_url: str | None = Field(
        None, description="Base URL of the embedding endpoint, such as `http://localhost:8080/v1`."
    )
    embedder_key: SecretStr | None = Field(None, description="Key of the embedding endpoint.")
    embedder_dimensions: Positive | None = Field(
        None, description="Dimensions of the endpoint's vectors; asked of it when not given."
    )
    embedding_threads: Annotated[int, Field(ge=0)] = Field(
        0, description="Threads of the local embedder; 0 for one per core."
    )
    embedding_timeout: Annotated[float, Field(gt=0)] = Field(
        30.0, description="Seconds that an embedding endpoint may take."
    )

    # Reranking
    reranker: str = Field("none", description="`none`, `recollect-rerank-v2`, or `http`.")
    context_reranker: str = Field(
        "auto",
        description="The same for `context`; `auto`: that of `reranker`, or else our own beside our own embedder.",
    )
    rerank_top: Positive = Field(15, description="How many of the best hits are reranked.")
    reranker_url: str | None = Field(None, description="URL of the reranking endpoint.")
    reranker_key: SecretStr | None = Field(None, description="Key of the reranking endpoint.")
    reranker_model: str | None = Field(None, description="Model name that the reranking endpoint is asked for.")
    reranker_timeout: Annotated[float, Field(gt=0)] = Field(
        10.0, description="Seconds that a reranking endpoint may take."
    )

    # Language models
    model: str | None = Field(
        None, description="Language model, by its pydantic-ai name (`openai:gpt-…`); none is a normal state."
    )
    model_extract: str | None = Field(None, description="Model for extraction, if another one.")
    model_summarise: str | None = Field(None, description="Model for summaries, if another one.")
    model_consolidate: str | None = Field(None, description="Model for consolidation, if another one.")
    model_consolidate_cheap: str | None = Field(
        None, description="Model for consolidating what has fewer than 3 new notes, if another one."
    )
    model_judge: str | None = Field(None, description="Model for judging, if another one.")
    model_reply: str | None = Field(None, description="Model for the replies of `recollect chat`, if another one.")
    model_url: str | None = Field(
        None, description="Base URL of an OpenAI-compatible endpoint that serves the models above."
    )
    model_key: SecretStr | None = Field(None, description="Key of that endpoint.")
    model_timeout: Annotated[float, Field(gt=0)] = Field(
        60.0, description="Seconds that one answer of a model may take."
    )
    model_repairs: Annotated[int, Field(ge=0)] = Field(
        2, description="How often a malformed answer is sent back for repair."
    )

    # What models may cost
    spend_tokens: Positive | None = Field(
        None, description="Tokens that a space may use in a day, questions and answers; then rules stand in for models."
    )
    spend_money: Annotated[float, Field(gt=0)] | None = Field(
        None, description="US dollars that a space may spend in a day, by `prices`."
    )
    prices: dict[str, tuple[Price, Price]] = Field(
        {}, description='US dollars for a million tokens, of questions and of answers: `{"gpt-5-mini": [0.25, 2]}`.'
    )
    spend_stops_embedder: bool = Field(
        False, description="Over a cap, stop an embedding endpoint too: what is new is found when the day is over."
    )

    # Search
    weight_semantic: Annotated[float, Field(ge=0)] = Field(1.2, description="Weight of the vector similarity.")
    weight_keyword: Annotated[float, Field(ge=0)] = Field(0.8, description="Weight of BM25.")
    weight_recency: Annotated[float, Field(ge=0)] = Field(
        0.02, description="Weight of the half-life relevance of when it happened."
    )
    weight_importance: Annotated[float, Field(ge=0)] = Field(0.1, description="Weight of importance.")
    weight_access: Annotated[float, Field(ge=0)] = Field(0.0, description="Weight of how often it was recalled.")
    weight_speaker: Annotated[float, Field(ge=0)] = Field(
        0.5, description="Bonus for the speaker whom the question names."
    )
    weight_thread: Annotated[float, Field(ge=0)] = Field(0.3, description="Weight of the best hits of the same thread.")
    weight_relation: Annotated[float, Field(ge=0)] = Field(
        0.05, description="Bonus for a memory related to a strong hit."
    )
    weight_graph: Annotated[float, Field(ge=0)] = Field(
        0.0, description="Bonus for what mentions the nodes that the question names, or a neighbour of theirs."
    )
    weight_salience: Annotated[float, Field(ge=0)] = Field(
        0.2, description="Bonus for salience, where `explore` ranks what it found."
    )
    weight_time: Annotated[float, Field(ge=0)] = Field(
        0.5, description="Bonus for what happened in the time that the question names."
    )
    weight_rerank: Annotated[float, Field(ge=0)] = Field(0.1, description="Weight of the reranker's log-softmax.")
    recency_half_life_days: Days = Field(30.0, description="Half-life of relevance.")
    candidates: Positive = Field(30, description="How many candidates each channel hands to fusion.")
    lexical_rows: Positive = Field(
        2_000,
        description="How many rows the rarest terms of a question may touch; in spaces below 50,000 entries, fewer.",
    )
    exact_limit: Positive = Field(5_000, description="Entries up to which a space is searched without a vector index.")
    filter_limit: Positive = Field(
        20_000, description="Matches up to which a filtered search of a large space is exact."
    )
    hnsw_ef: Positive = Field(200, description="Breadth of the vector index search.")

    # Conversations and what is learned of them
    understand: bool = Field(True, description="Learn facts, statements and milestones from messages.")
    window_most: Positive = Field(20, description="Messages of a conversation that stay verbatim, at most.")
    window_step: Positive = Field(10, description="Messages that become one chunk when there are more.")
    chunks_most: Positive = Field(50, description="Chunks of a conversation; past that the oldest two become one.")
    chunk_tokens: Positive = Field(150, description="Length of a chunk's summary, in tokens.")
    milestones_most: Positive = Field(100, description="Milestones of a conversation; the least are archived.")
    key_moment: Unit = Field(0.7, description="Significance from which a milestone is a key moment.")
    fact_confidence: Unit = Field(0.4, description="Confidence under which a profile fact is not taken.")
    fact_importance: Unit = Field(0.2, description="Importance under which a profile fact is not taken.")
    pending_below: Unit = Field(0.7, description="Confidence under which a statement waits for corroboration.")
    long_turn: Positive = Field(400, description="Characters from which a message is read for several facts.")
    long_turn_candidates: Positive = Field(5, description="Statements that are looked for in a long message.")
    turn_writes: Positive = Field(3, description="Statements that one message may add.")
    long_turn_daily: Positive = Field(
        200, description="Statements that the long messages of a space may add in a day, so that a paste stays cheap."
    )
    merge_same: Unit = Field(0.92, description="Similarity, calibrated, from which two statements may be one.")
    merge_likely: Unit = Field(0.85, description="Similarity from which the same-fact test, or a model, decides.")
    merge_related: Unit = Field(0.75, description="Similarity from which contradictions are looked for.")
    consent_keys: tuple[str, ...] = Field(
        ("preferred_name", "pronouns", "city", "language"),
        description="Profile keys that change only on the user's own word or consent.",
    )
    consent_days: Days = Field(7.0, description="Days after which a proposal lapses.")
    consent_signals: Positive = Field(2, description="Signals that an inferred value of another key needs.")

    # Sources
    idle_minutes: Annotated[float, Field(gt=0)] = Field(
        30.0, description="Minutes of silence after which the new turns of a conversation become a source."
    )

    # What agents work on, and what becomes of it
    migrate_updates: Positive = Field(5, description="Updates of an agent's sections that start a migration.")
    migrate_similarity: Unit = Field(
        0.85, description="Similarity, calibrated, from which a section is compared with a chunk."
    )
    migrate_overlap: Unit = Field(0.7, description="Share of entities from which the two may be merged.")
    chunk_single: Positive = Field(500, description="Tokens up to which a text is one chunk.")
    chunk_size: Positive = Field(512, description="Tokens of a chunk, where there are several.")
    chunk_overlap: Annotated[int, Field(ge=0)] = Field(50, description="Tokens that a chunk repeats of the last one.")
    promote_importance: Unit = Field(0.7, description="Importance from which a source is promoted to long-term memory.")
    short_term_days: Days = Field(30.0, description="Days without access after which a section's chunk is archived.")
    long_term_years: Days = Field(10.0, description="Years after which a version that has ended is removed.")

    # The graph
    node_merge: Unit = Field(0.9, description="Similarity, calibrated, from which two nodes are proposed for merging.")
    descriptions_most: Positive = Field(
        1_000, description="Nodes and relations of a space that one night describes anew; the others wait."
    )

    # Neo4j
    neo4j_url: BoltUrl | None = Field(
        None,
        description="Neo4j that the graph is projected to, such as `bolt://localhost:7687`; none is a normal state.",
    )
    neo4j_user: str = Field("neo4j", description="Who logs in there.")
    neo4j_password: SecretStr | None = Field(None, description="Their password; none where it asks for none.")
    neo4j_database: str = Field("neo4j", description="The database there that holds the graph, and nothing else.")
    neo4j_timeout: Annotated[float, Field(gt=0)] = Field(
        2.0, description="Seconds that a step of a walk may take there before PostgreSQL answers instead."
    )

    # Context
    context_tokens: Positive = Field(128_000, description="Tokens of a context, unless the call says how many.")
    context_system: Positive = Field(2_000, description="Of those, kept for the system prompt.")
    context_working: Positive = Field(8_000, description="Of those, kept for active sections and `extra`.")
    context_recent: Unit = Field(0.6, description="Share of the rest for recent messages; the others are retrieved.")
    context_importance: Unit = Field(0.5, description="Importance from which a profile fact is in every context.")
    context_episodes: Annotated[int, Field(ge=0)] = Field(3, description="Most episodes of a context.")
    context_memories: Annotated[int, Field(ge=0)] = Field(10, description="Most other memories of a context.")
    context_threshold: Unit = Field(0.6, description="Evidence, calibrated, under which a context takes no memory.")
    related_bullets: Annotated[int, Field(ge=0)] = Field(
        2, description="Most memories that a context or a query adds because what it found is tied to them."
    )
    context_changes: Annotated[int, Field(ge=0)] = Field(3, description="Most bullets of the delta header.")
    tokenizer: str = Field(
        "estimate",
        description="`estimate`; for exact counts the path of a tokenizer.json (extra `tokenizers`) or "
        "`tiktoken:ENCODING` (extra `tiktoken`).",
    )

    # Lifecycle
    salience_initial: Unit = Field(0.5, description="Salience of a new memory.")
    salience_recall: Unit = Field(0.05, description="Salience added by a recall.")
    decay_rate: Annotated[float, Field(ge=0)] = Field(0.02, description="Base rate of decay, per day.")
    decay_confident: Unit = Field(0.8, description="Confidence from which a candidate does not decay.")
    archive_below: Unit = Field(0.01, description="Salience under which the decay job archives.")
    active_accesses: Positive = Field(1, description="Recalls that make a candidate active.")
    core_accesses: Positive = Field(10, description="Recalls that make an active memory core.")
    decay_kinds: tuple[str, ...] = Field(
        ("source", "person", "concept", "entity", "storyline", "macro", "insight"),
        description="Kinds that decay may archive; the others only lose rank.",
    )
    ephemeral_episodic_days: Days = Field(30.0, description="Life of ephemeral memories of episodic kinds.")
    ephemeral_semantic_days: Days = Field(90.0, description="Life of ephemeral memories of semantic kinds.")
    consolidation_days: Days = Field(30.0, description="Age from which consolidation looks at a memory.")
    consolidation_below: Unit = Field(0.3, description="Importance × relevance under which consolidation archives.")
    consolidation_all: bool = Field(
        False, description="Consolidate every statement, not only milestones and pending ones."
    )
    daily_pairs: Positive = Field(50, description="Pairs of statements that daily consolidation compares in a day.")
    daily_hours: Annotated[float, Field(gt=0)] = Field(
        72.0, description="Hours for which a statement that was learned or changed is compared with others."
    )
    daily_days: Days = Field(90.0, description="Age up to which statements are compared.")
    daily_again_days: Days = Field(14.0, description="Days before a pair is compared again.")
    daily_batch: Annotated[int, Field(ge=1, le=10)] = Field(8, description="Pairs that a model is asked about at once.")
    insight_hours: Annotated[float, Field(gt=0)] = Field(
        24.0, description="Hours from one reading of a user's talk for insights to the next."
    )
    forgetting_days: Days = Field(60.0, description="Days without access after which forgetting looks at a memory.")
    forgetting_below: Unit = Field(0.4, description="Importance under which forgetting soft-deletes.")
    purge_days: Days = Field(30.0, description="Days from soft deletion to purge.")
    tombstone_key: SecretStr | None = Field(
        None, description="Key of the hashes of what was forgotten; else one is kept in the data directory."
    )
    change_log_days: Days = Field(90.0, description="Days that the change log is kept.")
    event_days: Days = Field(30.0, description="Days that events are kept.")
    link_similarity: Unit = Field(0.75, description="Similarity, calibrated, from which memories are linked on write.")
    link_neighbours: Annotated[int, Field(ge=0)] = Field(
        3, description="Most neighbours that a new memory is linked to."
    )

    # Storylines, macros, and sources that become knowledge
    storyline_sources: Positive = Field(5, description="Sources that a storyline of a node needs.")
    storyline_days: Positive = Field(3, description="Different days on which those sources must lie.")
    storyline_age_days: Days = Field(3.0, description="Days that a node must be known before it gets a storyline.")
    storyline_idle_days: Days = Field(90.0, description="Days without a source after which a storyline is over.")
    storylines_nightly: Positive = Field(100, description="New storylines of a space in one night, at most.")
    storyline_refreshes: Positive = Field(100, description="Storylines of a space told anew in one night, at most.")
    storyline_summaries: Positive = Field(10, description="Newest sources that a storyline is told anew from.")
    macro_storylines: Positive = Field(2, description="Storylines that a macro of a node needs.")
    macro_age_days: Days = Field(30.0, description="Days that a node must be known before it gets a macro.")
    macros_weekly: Positive = Field(50, description="New macros of a space in one week, at most.")
    macro_refreshes: Positive = Field(50, description="Macros of a space told anew in one week, at most.")
    source_days: Days = Field(7.0, description="Age from which a faded source is archived, its gist kept as notes.")
    source_below: Unit = Field(0.2, description="Salience under which a source counts as faded.")
    source_overlap: Positive = Field(5, description="Sources about one node whose gist together is noted on it.")
    source_accesses: Positive = Field(5, description="Recalls from which the gist of a faded source is noted early.")

    # The server
    body_bytes: Positive = Field(
        16_000_000,
        description="Largest body of a request; `ingest` and `save_checkpoint` take twice their own limits.",
    )
    import_bytes: Positive = Field(4_000_000_000, description="Largest body of `import_lines`, which is kept on disk.")
    shutdown_seconds: Annotated[float, Field(gt=0)] = Field(
        30.0, description="Seconds that requests get to end when the server is told to stop."
    )

    # Background work
    worker_concurrency: Positive = Field(2, description="Jobs that one worker runs at a time.")
    job_attempts: Positive = Field(5, description="Tries before a job is failed for good.")
    job_backoff: Annotated[float, Field(gt=0)] = Field(
        2.0, description="Seconds before the first retry; doubles each time."
    )
    heartbeat_timeout: Annotated[float, Field(gt=0)] = Field(
        30.0, description="Seconds without a heartbeat after which a worker counts as dead."
    )
    listen: bool = Field(True, description="Wake workers by LISTEN/NOTIFY; off behind PgBouncer in transaction mode.")

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Arguments, then the environment, then the TOML file."""
        toml = TomlConfigSettingsSource(settings_cls, _config_file())
        return init_settings, env_settings, toml


def _config_file() -> str:
    return os.environ.get("RECOLLECT_CONFIG", "recollect.toml")


def load_settings(**values: Any) -> Settings:
    """Settings from code, environment and file; a bad one is an InvalidInput that names it."""
    given = {name: value for name, value in values.items() if value is not None}
    try:
        return Settings(**given)
    except ValidationError as error:
        first = error.errors()[0]
        name = ".".join(str(part) for part in first["loc"]) or "settings"
        raise InvalidInput(name, first["msg"]) from error
    except SettingsError as error:  # a list or object in an environment variable that is no JSON
        raise InvalidInput("settings", str(error)) from error
    except (OSError, TOMLDecodeError) as error:
        raise InvalidInput("config", f"{_config_file()} cannot be read: {error}") from error
