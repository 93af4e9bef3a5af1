"""The map of recoding models: every algorithm that a job can name, read from the registered algorithms."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict

from starcloak.job.algorithms import algorithms as registered


class AlgorithmEntry(BaseModel):
    """An algorithm that a job can name.

    ``model`` is its recoding model, ``source`` the paper; ``guarantee`` states properties of every result, ``when`` its
    purpose. ``several_qids``, ``person_sets`` and ``importance`` are true if the algorithm supports these features of a
    job. ``options`` maps each setting to its default, or to ``required``.
    """

    model_config = ConfigDict(frozen=True)

    name: str
    model: str
    source: str
    guarantee: str
    when: str
    several_qids: bool
    person_sets: bool
    importance: bool
    options: dict[str, object]


def algorithms() -> list[AlgorithmEntry]:
    """All algorithms, full-domain ones first.

    >>> [algorithm.options for algorithm in algorithms() if algorithm.name == "mondrian"]
    [{'relaxed': False}]
    """
    return [
        AlgorithmEntry(
            name=name,
            model=model.about.recoding_model,
            source=model.about.sources,
            guarantee=model.about.guarantee,
            when=model.about.when,
            several_qids=model.supports.several_qids,
            person_sets=model.supports.person_sets,
            importance=model.supports.importance,
            options={
                field.alias or key: "required" if field.is_required() else _plain(field.get_default())
                for key, field in model.model_fields.items()
                if key != "name"
            },
        )
        for name, model in registered().items()
    ]


def table() -> str:
    """The algorithms as a table in Markdown, for documentation."""
    lines = [
        "| algorithm | recoding model | what is sure of the result | when to use it | `as: set` | `importance` |",
        "|---|---|---|---|---|---|",
    ]
    for algorithm in algorithms():
        cells = [f"`{{name: {algorithm.name}}}`", algorithm.model, algorithm.guarantee, algorithm.when]
        cells += ["yes" if takes else "no" for takes in (algorithm.person_sets, algorithm.importance)]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines).replace("*", "\\*") + "\n"


def _plain(value: object) -> object:
    return value.model_dump(mode="json") if isinstance(value, BaseModel) else value
