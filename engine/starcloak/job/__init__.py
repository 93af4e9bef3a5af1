"""The job: a document with the source to anonymize, the requirement, the algorithm, and the place of the release.

A job is YAML or a Python mapping. The Pydantic models of this package define its form; ``schemas/job.json`` is the JSON
Schema exported from them. An unknown key is an error with a hint to a similar key. No column is released by a default.
The package has one module per part of a job, and exports the names used by other packages.
"""

from starcloak.job.algorithms import Objective
from starcloak.job.earlier import Earlier
from starcloak.job.job import Job, load
from starcloak.job.person import load_person, refuse_beside_sets
from starcloak.job.requirement import Qid, load_qids, load_requirement
from starcloak.job.roles import ReadyMade
from starcloak.job.source import Output, Place, Register, load_source

__all__ = [
    "Earlier",
    "Job",
    "Objective",
    "Output",
    "Place",
    "Qid",
    "ReadyMade",
    "Register",
    "load",
    "load_person",
    "load_qids",
    "load_requirement",
    "load_source",
    "refuse_beside_sets",
]
