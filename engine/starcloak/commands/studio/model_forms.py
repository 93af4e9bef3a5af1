"""A form for each registered privacy model: its settings, and their possible values."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from starcloak.base.errors import JobError
from starcloak.job import document
from starcloak.privacy.k_anonymity.model import KAnonymity
from starcloak.privacy.model import PLAIN, Model, PopulationComparison
from starcloak.privacy.model import models as registered


@dataclass(frozen=True)
class SettingField:
    """A field for a setting of a model: a number from ``least`` to ``most``, one of the ``choices``, or a YAML text."""

    name: str
    is_required: bool
    is_number: bool
    choices: tuple[str, ...]
    default: str
    least: float | None
    most: float | None


@dataclass(frozen=True)
class ModelForm:
    """The form of a privacy model: its ``key`` in a job and its ``kind``, its ``promise`` in words, its fields.

    ``of_population`` is true if the model needs a population.
    """

    key: str
    kind: str
    promise: str
    of_population: bool
    fields: tuple[SettingField, ...]

    @property
    def name(self) -> str:
        """The unique name of the form."""
        return f"{self.key}-{self.kind}"

    def read(self, form: Mapping[str, str]) -> dict[str, Any]:
        """The settings of one model as in a job, from the fields of a filled-in form; empty fields are skipped."""
        item: dict[str, Any] = {} if self.kind == PLAIN else {"kind": self.kind}
        for field in self.fields:
            text = form.get(f"set-{field.name}", "").strip()
            if text and text != field.default:
                named = field.name == "attribute"  # its name is a text, even if it looks like something else
                item[field.name] = text if named else document.parse(text, where=f"{self.key}, {field.name}")
        return item


@cache
def model_forms() -> dict[str, ModelForm]:
    """The forms of all privacy models except k-anonymity, by their names."""
    kinds = ((key, kind, model) for key, kinds in registered().items() for kind, model in kinds.items())
    forms = (_form(key, kind, model) for key, kind, model in kinds if key != KAnonymity.key)
    return {form.name: form for form in forms}


def form_of(name: str) -> ModelForm:
    """The form with a name. Raises :class:`~starcloak.base.errors.JobError` for an unknown name."""
    if name not in model_forms():
        raise JobError(f"{name!r} is not a privacy model: choose one of {', '.join(model_forms())}")
    return model_forms()[name]


def _form(key: str, kind: str, model: type[Model]) -> ModelForm:
    schema = model.model_json_schema()
    required = schema.get("required", ())
    fields = tuple(
        _field(name, about, name in required) for name, about in schema["properties"].items() if name != "kind"
    )
    promise = (inspect.getdoc(model) or "").split("\n")[0].replace("``", "")
    return ModelForm(key, kind, promise, issubclass(model, PopulationComparison), fields)


def _field(name: str, about: Mapping[str, Any], is_required: bool) -> SettingField:
    number = next(
        (branch for branch in (about, *about.get("anyOf", ())) if branch.get("type") in ("number", "integer")), None
    )
    default, choices = about.get("default"), tuple(map(str, about.get("enum", ())))
    if about.get("type") == "boolean":
        choices, default = ("false", "true"), str(default).lower()
    bounds = [
        (number or {}).get(side, (number or {}).get(f"exclusive{side.title()}")) for side in ("minimum", "maximum")
    ]
    return SettingField(
        name, is_required, number is not None, choices, "" if default is None else str(default), *bounds
    )
