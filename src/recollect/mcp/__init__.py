"""Recollect for assistants that speak the Model Context Protocol: eight tools, and resources, over stdio or HTTP."""
