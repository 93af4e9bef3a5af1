"""Values of sensitive attributes that the classes of a row share in several releases, as far as they are known."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml
from click.testing import CliRunner

import starcloak as sc
from starcloak.base.errors import RequirementError
from starcloak.commands.cli import cli
from tests.companions.test_earlier import found, job, write

pytestmark = pytest.mark.usefixtures("work")


@pytest.mark.sampled(3)
@pytest.mark.parametrize("why", ["not read", "forgotten", "not shown"])
def test_values_that_classes_showed_and_that_were_not_kept_are_not_taken_for_shared(why: str) -> None:
    write([(str(age), "10", "f", illness) for age, illness in zip((21, 22, 26, 27), "abcd", strict=True)])
    diverse = {"k": 1, "l_diversity": [{"attribute": "illness", "l": 2}]}
    zips = {"zip": {"digits": 2}, "sex": "suppress"}
    one, other = (
        {"algorithm": {"name": "witness"}, "quasi_identifiers": {"age": {"tree": {"a": a, "b": b}}, **zips}}
        for a, b in ((["21", "22"], ["26", "27"]), (["21", "26"], ["22", "27"]))
    )
    hidden = {"sensitive": [], "identifiers": ["illness"]} if why == "not shown" else {}
    first = job(**one, requirement=diverse if why == "forgotten" else {"k": 2}, **hidden)
    Path("first.yaml").write_text(yaml.safe_dump(first, sort_keys=False))
    sc.run("first.yaml")
    if why == "forgotten":
        assert CliRunner().invoke(cli, ["forget", "a.csv"]).exit_code == 0
    second = job("b.csv", **other, requirement=diverse, against=["first.yaml"])
    if why == "not shown":
        assert not found(sc.run(second)).shared
        return
    with pytest.raises(RequirementError, match=r"values of 'illness' .* is not known"):
        sc.run(second)
    (shared,) = found(sc.run({**second, "accept": {"joint_k": 1}})).shared
    assert (shared.least, shared.unknown) == (None, True)
    if why == "not read":
        assert "is not known" in " ".join(
            sc.run({**second, "output": {"path": "c.csv"}, "against": []}).result.warnings
        )
