"""A hierarchy by functions of Python."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from pydantic import model_serializer

from starcloak.hierarchy.builder import BuildPlace, build, register
from starcloak.hierarchy.members import Declared, receive, text, with_top
from starcloak.statements.statement import Name, Statement


@register
class Functions(Declared):
    """Python functions, one per level: ``[lambda age: age // 10 * 10]``.

    A run calls each function once per distinct value of the column; the argument has the source's type. ``*`` goes on
    top unless the last function returns the same label for all values. The missing value stays missing until the top.
    """

    key: ClassVar[str] = "functions"
    apart: ClassVar[tuple[str, ...]] = ("functions",)
    form: ClassVar[str] = "`{functions: [f, g]}`, or the list alone (Python)"
    levels_read: ClassVar[str] = "37 → f(37) → g(37) → \\*; the missing value stays missing until the top"
    in_python: ClassVar[bool] = True

    functions: list[Callable[[Any], Any]]

    @classmethod
    def takes(cls, value: Any) -> bool:
        several = isinstance(value, (list, tuple)) and bool(value) and all(map(callable, value))
        return several or super().takes(value)

    @classmethod
    def of(cls, value: Any, context: Any) -> Functions:
        return cls.model_validate(value if super().takes(value) else {"functions": list(value)}, context=context)

    @model_serializer
    def _describe(self) -> dict[str, int]:
        return {"functions": len(self.functions)}

    @property
    def content(self) -> Any:
        raise TypeError(
            "a function is not identified by its name, so a run with functions is never skipped as unchanged"
        )

    @property
    def remedy(self) -> str:
        return "they have no text"

    def declare(self, place: BuildPlace, into: Name) -> int:
        values = place.session.run(Statement("hierarchy/value_texts", domain=place.domain))
        lines = list(with_top([[leaf, *self._levels(place, value)] for value, leaf in values if value is not None]))
        if any(value is None for value, _ in values):
            height = len(lines[0]) - 1 if lines else 1
            lines.append([None, *[None] * (height - 1), lines[0][-1] if lines else "*"])
        return receive(place, lines, into)

    def _levels(self, place: BuildPlace, value: Any) -> list[str]:
        levels = []
        for number, function in enumerate(self.functions, 1):
            try:
                level = function(value)
            except Exception as error:  # its text may contain the value
                raise place.wrong(
                    f"its function {number} fails on a value ({type(error).__name__}): try the function on all values"
                ) from None
            if level is None:
                raise place.wrong(f"its function {number} returns None for a value: have it return a text for each")
            levels.append(text(level))
        return levels


def functions(*given: Callable[[Any], Any]) -> Functions:
    """Python functions, one per level: ``functions(lambda age: age // 10 * 10)``; ``*`` goes on top.

    A run calls each function once for each distinct value of the column, and raises
    :class:`~starcloak.base.errors.HierarchyError` if a function fails, or if a level is no function of the level below.

    >>> import pandas, starcloak as sc
    >>> frame = pandas.DataFrame({"age": [31, 34, 47, 49]})
    >>> release = sc.anonymize(frame, quasi_identifiers={"age": sc.functions(lambda age: age // 10 * 10)}, k=2)
    >>> sorted(release.to_pandas()["age"])
    ['30', '30', '40', '40']
    """
    return build(Functions, functions=list(given))
