"""The seam to embedding models: texts in, vectors of unit length out."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal, Protocol, TypeAlias

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Vectors: TypeAlias = "NDArray[np.float32]"
Purpose: TypeAlias = Literal["document", "query"]


class Embedder(Protocol):
    """What every embedding model looks like to the rest of Recollect."""

    @property
    def name(self) -> str:
        """The model's name, as the database records it."""

    @property
    def dimensions(self) -> int:
        """Length of a vector; known once `ready` has returned."""

    async def ready(self) -> None:
        """Load the model, or ask the endpoint what it has to be asked once."""

    async def embed(self, texts: Sequence[str], *, purpose: Purpose) -> Vectors:
        """One row of unit length for each text; no texts give an array of shape (0, dimensions)."""

    def passages(self, text: str, /) -> list[str]:
        """The text, cut into overlapping passages where it is longer than the model's window."""

    async def close(self) -> None:
        """Let go of connections; the embedder is not used afterwards."""
