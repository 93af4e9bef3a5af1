"""studio: models beside k and persons are asked for by forms that the registry makes."""

from __future__ import annotations

import re
from collections.abc import Callable
from html import unescape
from pathlib import Path
from typing import Any

import pandas
import pytest
import yaml

import starcloak as sc
from starcloak.privacy.model import models
from tests.commands.studios import Studio, drafted, people, started

__all__ = ["started"]  # a fixture

pytest.importorskip("starlette")
model_forms = pytest.importorskip("starcloak.commands.studio.model_forms").model_forms


def asked(saved: str) -> dict[str, Any]:
    requirement: dict[str, Any] = yaml.safe_load(saved)["requirement"]
    return requirement


def test_every_model_has_a_form_of_its_settings() -> None:
    known = {f"{key}-{kind}": model for key, kinds in models().items() for kind, model in kinds.items() if key != "k"}
    assert model_forms().keys() == known.keys()
    for name, model in known.items():
        fields = {field.name: field for field in model_forms()[name].fields}
        assert fields.keys() == model.model_fields.keys() - {"kind"}
        assert {name for name, field in fields.items() if field.is_required} == {
            name for name, field in model.model_fields.items() if field.is_required() and name != "kind"
        }
    close = {field.name: field for field in model_forms()["t_closeness-distinct"].fields}
    assert close["distance"].choices == ("equal", "ordered", "hierarchical") and close["distance"].default == "equal"
    assert (close["t"].is_number, close["t"].least, close["t"].most) == (True, 0, 1)
    assert not close["order"].is_number and not close["order"].choices


def test_models_are_asked_for_and_no_more(work: Path, started: Callable[..., Studio]) -> None:
    drafted(Path("people.csv"))
    studio = started("job.yaml").enter()
    studio.finish("table")
    diverse = {"model": "l_diversity-distinct", "set-attribute": "disease", "set-missing": "none", "set-l": "2"}
    assert studio.ask("/model", diverse)[0] == 303
    recursive = {"model": "l_diversity-recursive", "set-attribute": "disease", "set-l": "2", "set-c": "3.5"}
    assert studio.ask("/model", recursive)[0] == 303
    close = {"model": "t_closeness-distinct", "set-attribute": "disease", "set-t": "0.4", "set-distance": "ordered"}
    assert studio.ask("/model", {**close, "set-order": "[flu, cold]"})[0] == 303
    for form, said in (
        ({"model": "nothing"}, "is not a privacy model"),
        ({**diverse, "set-l": "1"}, "l_diversity"),
        ({**diverse, "set-l": ""}, "missing"),
        ({**close, "set-order": "[flu"}, "t_closeness, order"),
    ):
        status, text, _ = studio.ask("/model", {**form, "screen": "requirement"})
        assert status == 422 and said in unescape(text) and (form["model"] == "nothing" or "<details open>" in text)
    shown = unescape(studio.ask("/requirement")[1])
    assert "l_diversity: {kind: recursive, attribute: disease, l: 2, c: 3.5}" in shown
    assert studio.ask("/drop-model", {"key": "l_diversity", "at": "0"})[0] == 303
    assert studio.ask("/drop-model", {"key": "l_diversity", "at": "1"})[0] == 422
    assert studio.ask("/save", {})[0] == 303
    saved = asked(Path("job.yaml").read_text())
    assert saved["l_diversity"] == [{"kind": "recursive", "attribute": "disease", "l": 2, "c": 3.5}]
    assert saved["t_closeness"] == [{"attribute": "disease", "t": 0.4, "distance": "ordered", "order": ["flu", "cold"]}]
    for key in ("l_diversity", "t_closeness"):
        assert studio.ask("/drop-model", {"key": key, "at": "0"})[0] == 303
    assert studio.ask("/save", {})[0] == 303 and asked(Path("job.yaml").read_text()) == {"k": 5, "suppression": 0.01}


def test_what_moves_counts_the_models_too(work: Path, started: Callable[..., Studio]) -> None:
    drafted(Path("people.csv"))
    job = Path("job.yaml").read_text()
    Path("job.yaml").write_text(re.sub("algorithm: .*", "algorithm: witness", job))
    studio = started("job.yaml").enter()
    studio.finish("table")
    form = {"model": "l_diversity-entropy", "set-attribute": "disease", "set-l": "1.9"}
    assert studio.ask("/model", form)[0] == 303
    studio.ask("/requirement")
    studio.finish("lattice")
    shown = studio.ask("/answer?k=3&suppression=0")[1]
    satisfying = re.search(r"<b>(\d+)</b>of", shown)
    assert studio.ask("/requirement", {"k": "3", "suppression": "0"})[0] == 303
    assert studio.ask("/save", {})[0] == 303
    assert satisfying is not None and int(satisfying[1]) == sc.run("job.yaml").result.search.anonymous_nodes


def test_releases_of_a_job_with_refresh_are_said_to_be_new_ones(work: Path, started: Callable[..., Studio]) -> None:
    drafted(Path("people.csv"))
    job = re.sub("algorithm: .*", "algorithm: sweep", Path("job.yaml").read_text())
    for refresh in (False, True):
        Path("job.yaml").write_text(f"{job}\nrefresh: true\n" if refresh else job)
        with_sentence = "every release here is a new one" in started("job.yaml").enter().ask("/requirement")[1]
        assert with_sentence == refresh


@pytest.mark.parametrize("page", ["requirement", "lattice"])
def test_pages_say_that_the_releases_under_against_are_not_counted(page: str, work: Path) -> None:
    from starcloak.commands.studio.screens import Screens
    from starcloak.commands.studio.shared_state import SharedState

    job = "source: {path: people.csv}\nquasi_identifiers: {sex: suppress}\nrequirement: {k: 2}\noutput: {path: a.csv}\n"
    for against in (False, True):
        Path("job.yaml").write_text(f"{job}against: [earlier.csv]\n" if against else job)
        shown = bytes(Screens(SharedState(Path("job.yaml"), None)).page(page, {}).body).decode()
        assert ("so a run may refuse what this page shows" in shown) == against


def test_a_column_tells_whose_a_row_is(work: Path, started: Callable[..., Studio]) -> None:
    people(Path("people.csv"))
    frame = pandas.read_csv("people.csv", dtype=str)
    frame.assign(visit=[f"v{row % 150}" for row in range(300)]).to_csv("people.csv", index=False)
    sc.init("people.csv", "job.yaml")
    text = re.sub(r"\nperson: .*", "", Path("job.yaml").read_text())
    Path("job.yaml").write_text(re.sub(r"(\n +- name\b.*)", r"\1\n  - visit", text) if "- visit" not in text else text)
    studio = started("job.yaml").enter()
    studio.finish("table")
    assert studio.ask("/person", {"column": "nobody"})[0] == 422
    assert studio.ask("/person", {"column": "visit"})[0] == 303
    assert '<option value="visit" selected>' in studio.ask("/requirement")[1]
    assert "selected>person</option>" in studio.ask("/table")[1]
    assert studio.ask("/role", {"column": "visit", "role": "keep"})[0] == 422
    assert studio.ask("/person", {"column": "name"})[0] == 303
    assert studio.ask("/save", {})[0] == 303
    saved = yaml.safe_load(Path("job.yaml").read_text())
    assert saved["person"] == "name" and "visit" in saved["identifiers"] and "name" not in saved["identifiers"]
    assert studio.ask("/person", {"column": ""})[0] == 303 and studio.ask("/save", {})[0] == 303
    saved = yaml.safe_load(Path("job.yaml").read_text())
    assert "person" not in saved and {"name", "visit"} <= {*saved["identifiers"]}
