"""Neo4j as tests look at it and meddle with it, past Recollect."""

from typing import Any

from neo4j import GraphDatabase

from recollect.graph.projection.server import USER, DevServer


def ask(server: DevServer, statement: str, **values: Any) -> list[dict[str, Any]]:
    """The rows of a statement."""
    with GraphDatabase.driver(server.url, auth=(USER, server.password)) as driver:
        records, _, _ = driver.execute_query(statement, values)
        return [record.data() for record in records]


def wipe(server: DevServer) -> None:
    """Take everything away that is stored; constraints stay."""
    with GraphDatabase.driver(server.url, auth=(USER, server.password)) as driver, driver.session() as session:
        session.run("MATCH (n) CALL (n) { DETACH DELETE n } IN TRANSACTIONS OF 10000 ROWS").consume()
