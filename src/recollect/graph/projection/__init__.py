"""The graph carried to Neo4j: how it looks there, how it is written, read and compared. PostgreSQL stays the truth."""
