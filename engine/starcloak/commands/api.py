"""The Python interface: jobs, data frames, files and database tables in; releases out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any

from starcloak.base.errors import JobError
from starcloak.commands import find_result, pipeline
from starcloak.commands import hierarchies as hierarchy_counting
from starcloak.commands import lattice as counting
from starcloak.commands.audit import audit as auditing
from starcloak.commands.comparison import compare as comparing
from starcloak.commands.comparison.result import Comparison
from starcloak.commands.explanation import explain as explaining
from starcloak.commands.explanation.result import Explanation
from starcloak.commands.hierarchies import CountedHierarchy
from starcloak.commands.pipeline import compile, run
from starcloak.commands.preview import preview as previewing
from starcloak.commands.preview.result import Preview
from starcloak.commands.profile import init as profiling
from starcloak.commands.release import Release
from starcloak.insight.attack_result import Attacks
from starcloak.insight.counted_lattice import CountedLattice
from starcloak.insight.risk.result import Audit
from starcloak.job import Job, load_person, load_requirement, load_source
from starcloak.job.check_result import Verdict
from starcloak.job.result import Result
from starcloak.privacy.model import models
from starcloak.store.resources import Resources
from starcloak.verify.population import PopulationDemand, PopulationSource

if TYPE_CHECKING:
    from starcloak.base.frames import Frame

__all__ = [
    "anonymize",
    "attack",
    "audit",
    "check",
    "compare",
    "compile",
    "explain",
    "hierarchies",
    "init",
    "lattice",
    "preview",
    "read_release",
    "run",
]


def anonymize(
    data: Frame | str | Path | Mapping[str, str],
    *,
    quasi_identifiers: Mapping[str, Any] | Sequence[str],
    k: int | None = None,
    qids: Sequence[Mapping[str, Any]] | None = None,
    suppression: float | Decimal | str = 0,
    population: Frame | str | Path | Mapping[str, str] | None = None,
    population_count: str | None = None,
    resources: Resources = Resources(),
    force: bool = False,
    **job: Any,
) -> Release:
    """Anonymize a data frame, a file, or a table given as a job's ``source`` mapping.

    ``quasi_identifiers`` maps columns to hierarchies or lists some of the job's ``schema``; ``job`` takes the other
    keys of a job (identifiers, sensitive, keep, person, objective, output, seed …). The requirement is ``k``, or
    ``qids`` such as ``[{"attributes": ["age", "sex"], "k": 4}, …]``, and further models and their ``reference`` by the
    names that they have in a job, such as ``l_diversity=[{"attribute": "disease", "l": 3}]``. ``suppression`` is the
    share of rows (0 … 1) that may be left out; ``k_map`` and ``delta_presence`` are asked within a ``population``, as
    of :func:`check`. Without an output the release stays in memory: ``release.to_pandas()``. ``force`` and errors are
    as of :func:`run`.

    LeFevre, DeWitt, Ramakrishnan 2005, section 1.1, of k-anonymity.

    >>> import pandas, starcloak as sc
    >>> frame = pandas.DataFrame({"age": [31, 34, 47, 49], "zip": ["53715"] * 4, "illness": ["flu", "cold"] * 2})
    >>> hierarchies = {"age": sc.intervals(10, 20), "zip": sc.digits(5)}
    >>> release = sc.anonymize(frame, quasi_identifiers=hierarchies, sensitive=["illness"], k=2)
    >>> release.k, release.result.recoding.levels
    (2, {'age': 1, 'zip': 0})
    >>> sorted(release.to_pandas()["age"])
    ['[30, 40)', '[30, 40)', '[40, 50)', '[40, 50)']
    """
    further = {key: job.pop(key) for key in (*models(), "reference") if key in job}
    described = {
        **job,
        "quasi_identifiers": dict(quasi_identifiers) if isinstance(quasi_identifiers, Mapping) else quasi_identifiers,
        "requirement": {"k": k, "qids": qids, "suppression": str(suppression), **further},
    }
    more: dict[str, Any] = {"resources": resources, "force": force}
    if isinstance(population, (str, Path, Mapping)):
        place = {"path": str(population)} if isinstance(population, (str, Path)) else dict(population)
        counted = {} if population_count is None else {"count": population_count}
        described["requirement"]["population"] = {**place, **counted}
    elif population is not None:
        more |= {"population": population, "population_count": population_count}
    if isinstance(data, (str, Path)):
        return run({**described, "source": {"path": str(data)}}, **more)
    if isinstance(data, Mapping):
        return run({**described, "source": dict(data)}, **more)
    return run(described, frame=data, **more)


def check(
    data: Frame | str | Path | Mapping[str, str],
    quasi_identifiers: Sequence[str] | str | None = None,
    k: int | None = None,
    *,
    qids: Sequence[Mapping[str, Any]] | None = None,
    person: Sequence[str] | str | Mapping[str, Any] = (),
    population: Frame | str | Path | Mapping[str, str] | None = None,
    population_count: str | None = None,
    k_map: int | None = None,
    delta_presence: tuple[float | Decimal | str, float | Decimal | str] | None = None,
    resources: Resources = Resources(),
    **further: Any,
) -> Verdict:
    """Whether a data frame, a file, or a table given as a job's ``source`` mapping is k-anonymous as it stands.

    Li, Wong, Fu, Pei 2008, Definition 3. Instead of one quasi-identifier and its ``k``, several may be given as
    ``qids=[{"attributes": ["age", "sex"], "k": 4}, …]`` (Fung, Wang, Yu 2007, Definition 1).
    Where columns tell the ``person`` whose a row is, classes count persons in place of rows; as ``{"column": …, "as":
    "set"}``, k persons must have the same rows, each as often. ``k_map`` and ``delta_presence``, the smallest and the
    largest share, are asked within a ``population`` (see :func:`audit`).
    ``further`` are models by the names that they have in a job, such as ``l_diversity=[{"attribute": "disease", "l":
    3}]``. Raises an :class:`~starcloak.base.errors.InputError` for data that cannot be read, a
    :class:`~starcloak.base.errors.JobError` without ``k`` or ``qids``, or for k-map and delta-presence without
    a population.

    >>> import starcloak as sc
    >>> verdict = sc.check({"dataset": "patients"}, ["sex", "zipcode"], k=2)
    >>> verdict.holds, verdict.qids[0].violating_rows
    (False, 2)
    >>> sc.check({"dataset": "patients"}, "sex", k=2, l_diversity=[{"attribute": "disease", "l": 2}]).holds
    True
    """
    if isinstance(quasi_identifiers, str):
        quasi_identifiers = [quasi_identifiers]
    if (quasi_identifiers is None) == (qids is None) or (quasi_identifiers is None) != (k is None):
        raise JobError("check needs quasi-identifiers and k, or qids: give one of the two")
    if qids is None:
        qids = [{"attributes": list(quasi_identifiers or ()), "k": k}]
    asked = load_requirement({"qids": list(qids), **further})
    identifiers, as_set = load_person(person)
    more: dict[str, Any] = {"models": asked.models, "person": identifiers, "as_set": as_set, "resources": resources}
    if population is not None:
        shares = None
        if delta_presence is not None:
            least, most = (auditing.share(bound, "delta-presence") for bound in delta_presence)
            shares = least, most
        more["within"] = PopulationDemand(_register(population, population_count), k_map, shares)
    elif k_map is not None or delta_presence is not None:
        raise JobError("k-map and delta-presence are asked within a population: give one")
    if isinstance(data, (str, Path)):
        return pipeline.check(load_source({"path": data}), asked.qids or (), **more)
    if isinstance(data, Mapping):
        return pipeline.check(load_source(data), asked.qids or (), **more)
    return pipeline.check(None, asked.qids or (), frame=data, **more)


def audit(
    data: Frame | str | Path | Mapping[str, str],
    quasi_identifiers: Sequence[str] | str,
    sensitive: Sequence[str] | str = (),
    *,
    threshold: float | Decimal | str = "0.2",
    distinction: float | Decimal | str = "0.95",
    sampling_fraction: float | None = None,
    person: Sequence[str] | str | Mapping[str, Any] = (),
    population: Frame | str | Path | Mapping[str, str] | None = None,
    population_count: str | None = None,
    orders: Mapping[str, Sequence[str | None]] = {},
    hierarchies: Mapping[str, Any] = {},
    sets: int = 4,
    resources: Resources = Resources(),
) -> Audit:
    """The risk of a data frame, a file, or a table given as a job's ``source`` mapping, raw or released.

    A record is at risk above the ``threshold``; sets of columns are named from a ``distinction`` on; with a
    ``sampling_fraction`` the population is estimated. Where columns tell the ``person`` whose a row is, a person counts
    once in a class; as ``{"column": …, "as": "set"}``, classes are of persons with the same rows, each as often. With
    a ``population``, whose rows are people or stand for as many as ``population_count`` says, the risks of journalist
    and marketer are counted in it. ``orders`` of the values of sensitive columns, and ``hierarchies`` as a job has
    them, tell t by ordered and hierarchical distance. ``sets`` is how many columns the sets have at most that are
    searched for. Of a release, no count between 1 and k - 1 is told. Raises an
    :class:`~starcloak.base.errors.InputError` for data that cannot be read, or has no rows.

    >>> import starcloak as sc
    >>> audit = sc.audit({"dataset": "patients"}, ["sex", "zipcode"], "disease")
    >>> audit.rows, audit.uniques, audit.prosecutor.highest
    (6, 2, 1.0)
    """
    identifiers, as_set = load_person(person)
    asked = auditing.AuditRequest(
        (quasi_identifiers,) if isinstance(quasi_identifiers, str) else tuple(quasi_identifiers),
        (sensitive,) if isinstance(sensitive, str) else tuple(sensitive),
        auditing.share(threshold, "threshold"),
        auditing.share(distinction, "distinction"),
        sampling_fraction,
        identifiers,
        None if population is None else _register(population, population_count),
        orders,
        hierarchies,
        as_set,
        sets,
    )
    if isinstance(data, (str, Path)):
        return auditing.audit(load_source({"path": data}), asked, resources=resources)
    if isinstance(data, Mapping):
        return auditing.audit(load_source(data), asked, resources=resources)
    return auditing.audit(None, asked, frame=data, resources=resources)


def _register(data: Frame | str | Path | Mapping[str, str], count: str | None) -> PopulationSource:
    if isinstance(data, (str, Path)):
        return PopulationSource(load_source({"path": data}), count=count)
    if isinstance(data, Mapping):
        return PopulationSource(load_source(data), count=count)
    return PopulationSource(None, data, count)


def read_release(release: str | Path | Mapping[str, str]) -> Result:
    """The result of the run that made a release: a file, or a table given as a job's ``source`` mapping.

    It is read from the manifest that the run has kept here, and the file must still be what was released. Raises
    :class:`~starcloak.base.errors.SourceError` where there is none.

    >>> import tempfile, starcloak as sc
    >>> job = {"source": {"dataset": "patients"}, "schema": "patients/incognito-2005", "requirement": {"k": 2}}
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     release = sc.run({**job, "output": {"path": f"{folder}/released.csv"}})
    ...     found = sc.read_release(f"{folder}/released.csv")
    >>> found.search.anonymous_levels[0], [(size.least, size.rows) for size in found.class_sizes]
    ({'birthdate': 1, 'sex': 1, 'zipcode': 0}, [(2, 6)])
    """
    return find_result.of_place(load_source({"path": release} if isinstance(release, (str, Path)) else release))


def init(
    data: Frame | str | Path | Mapping[str, str], into: str | Path = "job.yaml", *, resources: Resources = Resources()
) -> list[Path]:
    """Profile a data frame, a file, or a table given as a job's ``source`` mapping, and write a first job for it.

    The job runs as it is, that of a data frame as ``run(job, frame=data)``. Returns its file and those of its
    hierarchies, which are their owner's alone. Raises an :class:`~starcloak.base.errors.InputError` for data that
    cannot be read or has no rows, and for a file in the way.

    >>> import tempfile, starcloak as sc
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     job, *hierarchies = sc.init({"dataset": "patients"}, f"{folder}/job.yaml")
    ...     release = sc.run(job)
    >>> job.name
    'job.yaml'
    """
    profiling.refuse(Path(into))
    place, frame = None, None
    if isinstance(data, (str, Path)):
        place = load_source({"path": data})
    elif isinstance(data, Mapping):
        place = load_source(data)
    else:
        frame = data
    drafted = profiling.draft(place, into=Path(into), frame=frame, resources=resources)
    return profiling.write(drafted, Path(into))


def compare(
    job: Job | Mapping[str, Any] | str | Path,
    *,
    ks: Sequence[int] = comparing.KS,
    algorithms: Sequence[str] = (),
    suppressions: Sequence[float | Decimal | str] = (),
    frame: Any = None,
    resources: Resources = Resources(),
) -> Comparison:
    """What releases of a job would cost, and what risk they would leave: each algorithm with each suppression and k.

    Every point is verified like a release, and none is published; one that cannot be released tells why. What is left
    out is the job's own. Raises an :class:`~starcloak.base.errors.InputError` for a job that cannot be used.

    >>> import starcloak as sc
    >>> job = {"source": {"dataset": "patients"}, "schema": "patients/incognito-2005", "requirement": {"k": 2}}
    >>> comparison = sc.compare(job, ks=[2, 3], algorithms=["witness", "mondrian"])
    >>> [(point.algorithm, point.k) for point in comparison.points if point.released]
    [('witness', 2), ('witness', 3), ('mondrian', 2), ('mondrian', 3)]
    """
    shares = tuple(auditing.share(share, "suppression") for share in suppressions)
    asked = comparing.ComparisonRequest(tuple(ks), tuple(algorithms), shares)
    return comparing.compare(job, asked, frame=frame, resources=resources)


def attack(
    job: Job | Mapping[str, Any] | str | Path, *, frame: Any = None, resources: Resources = Resources()
) -> Attacks:
    """Attacks on what a job releases: singling out, linkability and inference, each with a control group.

    Of the people in the rows that the job releases, half are held out at random, and the job makes a release of the
    others: rows that are left out decide nothing. A predicate of released cells may match one person alone; two halves
    of the quasi-identifiers may be put together through the release; a cell that is released as it is may be guessed
    from somebody's class. Risk (0 … 1) is what succeeds more often than with those held out:
    (attack - control) / (1 - control), with an interval of 95 %. The halves go by the job's seed and a secret of the
    custodian, so that they are the same each time, and nobody else can repeat them.
    Publishes nothing. Raises as :func:`run` does, and a :class:`~starcloak.base.errors.JobError` for hierarchies that
    are tables or further columns of the source's database, and for persons as sets.

    Giomi, Boenisch, Wehmeyer, Tasnádi 2022, section 3; Article 29 Working Party, Opinion 05/2014 (WP 216), section 2.

    >>> import pandas, starcloak as sc
    >>> frame = pandas.DataFrame({"age": [str(age) for age in range(200)], "disease": ["flu", "cold"] * 100})
    >>> job = {"quasi_identifiers": {"age": "suppress"}, "sensitive": ["disease"], "requirement": {"k": 2}}
    >>> [attack.released.rate for attack in sc.attack(job, frame=frame).of("Singling out")]
    [0.0, 0.0]
    """
    from starcloak.commands.attacks import attack as attacking

    return attacking.attack(job, frame=frame, resources=resources)


def explain(
    job: Job | Mapping[str, Any] | str | Path, *, frame: Any = None, resources: Resources = Resources()
) -> Explanation:
    """Why the release of a job is as it is: what blocks a lower level, what costs most, what less would bring.

    Reads the source, writes nothing. Raises as :func:`run` does.

    >>> import starcloak as sc
    >>> job = {"source": {"dataset": "patients"}, "schema": "patients/incognito-2005", "requirement": {"k": 2}}
    >>> sc.explain(job).levels
    {'birthdate': 1, 'sex': 1, 'zipcode': 0}
    """
    return explaining.explain(job, frame=frame, resources=resources)


def lattice(
    job: Job | Mapping[str, Any] | str | Path,
    *,
    frame: Any = None,
    population: Frame | str | Path | Mapping[str, str] | None = None,
    population_count: str | None = None,
    resources: Resources = Resources(),
) -> CountedLattice:
    """The full-domain lattice of a job, with the classes of every node counted by size, once.

    After that :meth:`~starcloak.insight.counted_lattice.CountedLattice.at` answers every k and suppression without the
    data: what satisfies, what each node leaves out and loses (0 … 1), and which node a run would choose;
    :meth:`~starcloak.insight.counted_lattice.CountedLattice.levels_at` lists all nodes that satisfy. Of a lattice that
    is too large the frontier is counted alone, and ``complete`` is false. Models such as k-map are asked within the
    requirement's population, or the ``population`` here, as of :func:`check`. The counts are the custodian's: classes
    may have one row. Reads the source, writes nothing. Raises as :func:`run` does, and a
    :class:`~starcloak.base.errors.JobError` for several QIDs, persons compared as sets, and a lattice that is too large
    within a population.

    LeFevre, DeWitt, Ramakrishnan 2005, section 2 and Figure 3.

    >>> import starcloak as sc
    >>> job = {"source": {"dataset": "patients"}, "schema": "patients/incognito-2005", "requirement": {"k": 2}}
    >>> lattice = sc.lattice(job)
    >>> answer = lattice.at(k=2, suppression=0.34)
    >>> dict(zip(lattice.attributes, lattice.nodes[answer.chosen].tolist())), int(answer.left_out[answer.chosen])
    ({'birthdate': 1, 'sex': 0, 'zipcode': 0}, 2)
    """
    people = None if population is None else _register(population, population_count)
    return counting.lattice(job, frame=frame, people=people, resources=resources)


def hierarchies(
    job: Job | Mapping[str, Any] | str | Path,
    *,
    frame: Any = None,
    most: int = 200,
    resources: Resources = Resources(),
) -> list[CountedHierarchy]:
    """The hierarchies of a job over its source: the values of every level with their rows, and what is wrong.

    Of each level, and of the leaves, so many values are told at ``most``. A hierarchy that does not fit has its
    ``problem`` beside it, and the values without a leaf. It has values of rows, and is the custodian's. Reads the
    source, writes nothing. Raises as :func:`run` does, but for what is wrong with a hierarchy.

    >>> import starcloak as sc
    >>> job = {"source": {"dataset": "patients"}, "schema": "patients/incognito-2005", "requirement": {"k": 2}}
    >>> [(level.label, level.first) for level in sc.hierarchies(job)[1].levels]
    [('as it is', [('Female', 3), ('Male', 3)]), ('*', [('*', 6)])]
    """
    return hierarchy_counting.hierarchies(job, frame=frame, most=most, resources=resources)


def preview(
    job: Job | Mapping[str, Any] | str | Path,
    *,
    frame: Any = None,
    sample: int = 50,
    values: int = 12,
    resources: Resources = Resources(),
) -> Preview:
    """The release of a job beside its source, verified and not published.

    Of the rows that stay, and of those that do not, a ``sample`` of so many different tuples is told, the largest
    changes first; of every quasi-identifier as many ``values``, the most frequent, before and after. It has values of
    rows, and is the custodian's. Raises as :func:`run` does.

    >>> import starcloak as sc
    >>> job = {"source": {"dataset": "patients"}, "schema": "patients/incognito-2005", "requirement": {"k": 2}}
    >>> preview = sc.preview(job, sample=1)
    >>> preview.k, preview.changes[0].before["birthdate"], preview.changes[0].after["birthdate"]
    (2, '1976-01-21', '*')
    """
    return previewing.preview(job, frame=frame, sample=sample, values=values, resources=resources)
