"""The server: every verb over HTTP, behind a gate that knows whom a request speaks for."""
