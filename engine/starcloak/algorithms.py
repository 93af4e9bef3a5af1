"""The map of recoding models: every algorithm that a job can name, read from the models that check the job."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict

from starcloak.job import ALGORITHMS


class Algorithm(BaseModel):
    """An algorithm: its recoding model, its source, what is sure of its result, and its options with their defaults."""

    model_config = ConfigDict(frozen=True)

    name: str
    model: str
    source: str
    guarantee: str
    several_qids: bool
    options: dict[str, object]


def algorithms() -> list[Algorithm]:
    """All algorithms, in the order of the job's model.

    >>> [algorithm.options for algorithm in algorithms() if algorithm.name == "mondrian"]
    [{'relaxed': False}]
    """
    return [
        Algorithm(
            name=name,
            model=model.recoding_model,
            source=model.sources,
            guarantee=model.guarantee,
            several_qids=model.several_qids,
            options={
                field.alias or key: "required" if field.is_required() else _plain(field.get_default())
                for key, field in model.model_fields.items()
                if key != "name"
            },
        )
        for name, model in ALGORITHMS.items()
    ]


def _plain(value: object) -> object:
    return value.model_dump(mode="json") if isinstance(value, BaseModel) else value
