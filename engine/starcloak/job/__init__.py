"""The job: the source to anonymize, the requirement, the algorithm, and the place of the release.

A job is YAML or a Python mapping; ``schemas/job.json`` is its JSON Schema, exported from the models here. Unknown keys
are errors with a near-name hint, and no default decides about the release of a column. The package has one module per
part of a job and re-exports the parts of them used elsewhere.
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
