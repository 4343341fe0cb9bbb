"""YAML that people write, read node by node, so that every error can name its line."""

from dataclasses import dataclass

import yaml

from recollect.core import check
from recollect.core.errors import InvalidInput

_NULL = "tag:yaml.org,2002:null"
_BOOLEAN = "tag:yaml.org,2002:bool"
_INTEGER = "tag:yaml.org,2002:int"


@dataclass(frozen=True, slots=True)
class Marked:
    """Reads the YAML of one input field."""

    field: str

    def node(self, text: str) -> yaml.Node:
        """The root of a text."""
        try:
            node = yaml.compose(text, Loader=yaml.SafeLoader)
        except yaml.MarkedYAMLError as error:
            mark = error.problem_mark or error.context_mark
            where = f"line {mark.line + 1}: " if mark else ""
            raise InvalidInput(self.field, f"{where}{error.problem or 'is no YAML'}") from None
        except yaml.reader.ReaderError as error:
            line = text.count("\n", 0, error.position) + 1
            raise InvalidInput(self.field, f"line {line}: holds a character that YAML does not allow") from None
        except (yaml.YAMLError, RecursionError, ValueError) as error:
            raise InvalidInput(self.field, f"line 1: is no YAML ({type(error).__name__})") from None
        if node is None:
            raise InvalidInput(self.field, "line 1: is empty")
        return node

    def refusal(self, node: yaml.Node, problem: str) -> InvalidInput:
        """What is wrong with a node, and where."""
        return InvalidInput(self.field, f"line {line_of(node)}: {problem}")

    def mapping(self, node: yaml.Node, what: str, keys: tuple[str, ...] | None) -> dict[str, yaml.Node]:
        """The values of a mapping, by the keys that it may have; None: any."""
        if not isinstance(node, yaml.MappingNode):
            raise self.refusal(node, f"{what} must be a mapping")
        found: dict[str, yaml.Node] = {}
        for key, value in node.value:
            if not isinstance(key, yaml.ScalarNode):
                raise self.refusal(key, f"a key of {what} must be a word")
            if key.value in found:
                raise self.refusal(key, f"{key.value!r} is given twice")
            if keys is not None and key.value not in keys:
                raise self.refusal(key, f"{what} has no {key.value!r}, only {', '.join(keys)}")
            found[key.value] = value
        return found

    def items(self, node: yaml.Node, what: str) -> list[yaml.Node]:
        """The items of a list."""
        if not isinstance(node, yaml.SequenceNode):
            raise self.refusal(node, f"{what} must be a list")
        return list(node.value)

    def required(self, mapping: dict[str, yaml.Node], key: str, line: int) -> yaml.Node:
        """A value that has to be there."""
        if key not in mapping:
            raise InvalidInput(self.field, f"line {line}: {key!r} is missing")
        return mapping[key]

    def text(self, node: yaml.Node, what: str) -> str:
        """A word or a few."""
        if not isinstance(node, yaml.ScalarNode) or node.tag == _NULL or not node.value.strip():
            raise self.refusal(node, f"{what} must be text")
        try:
            return check.identifier(what, node.value.strip())
        except InvalidInput as error:
            raise self.refusal(node, f"{what} {error.problem}") from None

    def flag(self, node: yaml.Node, what: str) -> bool:
        """True or false."""
        if not isinstance(node, yaml.ScalarNode) or node.tag != _BOOLEAN:
            raise self.refusal(node, f"{what} must be true or false")
        return node.value.casefold() in ("true", "yes", "on")

    def count(self, node: yaml.Node, what: str) -> int:
        """A whole number from 1 on."""
        digits = isinstance(node, yaml.ScalarNode) and node.tag == _INTEGER and node.value.isdecimal()
        if not digits or not 1 <= int(node.value) <= 1_000_000:
            raise self.refusal(node, f"{what} must be a whole number from 1 on")
        return int(node.value)


def line_of(node: yaml.Node) -> int:
    """The line on which a node begins."""
    return int(node.start_mark.line) + 1
