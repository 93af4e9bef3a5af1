"""The population of a requirement, as it is read and brought to the working store."""

from __future__ import annotations

import pandas
import pytest

import starcloak as sc
from starcloak.base.errors import JobError, SourceError

TABLE = pandas.DataFrame({"age": [30, 30, 40, 40]})
JOB = {"quasi_identifiers": {"age": "suppress"}, "requirement": {"k": 1, "k_map": 2}}


def test_a_requirement_without_its_population_names_the_models_that_need_one() -> None:
    with pytest.raises(JobError, match=r"^k_map compares classes with a population"):
        sc.run(JOB, frame=TABLE)


def test_a_value_of_the_population_that_the_source_cannot_have_is_counted() -> None:
    population = pandas.DataFrame({"age": ["30", "30", "40", "40", "old", "old", "unknown"]})
    with pytest.raises(SourceError, match=r"2 values of 'age' cannot be converted to the type of 'age' in the data"):
        sc.run(JOB, frame=TABLE, population=population)


def test_a_number_of_people_that_is_none_is_refused_beside_others_of_its_combination() -> None:
    population = pandas.DataFrame({"age": [30, 30, 40], "people": ["4", "many", "4"]})
    with pytest.raises(SourceError, match="column 'people' has numbers of people that are not whole numbers"):
        sc.run(JOB, frame=TABLE, population=population, population_count="people")
