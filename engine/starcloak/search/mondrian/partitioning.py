"""Mondrian's partitioning (LeFevre, DeWitt, Ramakrishnan 2006): regions are cut while a cut is allowable."""

from __future__ import annotations

from collections.abc import Sequence

from starcloak.privacy.requirement import Demand
from starcloak.search.mondrian import qid_regions
from starcloak.search.mondrian.regions import CUTS, PARTS, SETTLED, Regions, trees_of
from starcloak.search.mondrian.settings import Partitioning
from starcloak.star.recoding.recoding import RECODING
from starcloak.star.star import Star
from starcloak.statements.statement import Joined, Name, Statement


def search(
    star: Star,
    *,
    demand: Demand,
    seed: int,
    relaxed: bool = False,
    again: bool = False,
    qids: Sequence[Demand] = (),
) -> Partitioning:
    """Cut the table into regions that satisfy a demand; returns the numbers of regions, rounds and statements.

    Creates the recoding relation. A cut is allowable if every side satisfies the demand. A region is cut on its widest
    attribute (width times importance) with an allowable cut. A hierarchical attribute is cut into the children of the
    closest value covering the region; its width is the share of the other leaves covered by this value. A numeric one
    is cut in two, between the numbers of the allowable cut nearest to the median; its width is the width of its range,
    as a share of the range of all numbers. No region of the result has an allowable cut left.

    ``relaxed`` cuts a numeric attribute into halves of equal size, whatever the numbers: rows of one tuple may go to
    several regions, decided by ``seed``. Otherwise the seed decides nothing. ``again`` begins with the groups of the
    existing recoding, instead of one region. With ``qids``, each with its own k, regions are then cut further, as long
    as the groups of each QID have k rows.
    """
    session = star.session
    before = session.statements
    regions = Regions(star, trees_of(star), demand, relaxed, again, seed)
    regions.begin()
    settle = Statement("search/mondrian/regions#settled", parts=PARTS, cuts=CUTS)
    session.create(SETTLED, settle)
    cutting, regions_known = regions.progress()
    rounds = 0
    while cutting:
        rounds += 1
        session.report(f"search: {regions_known:,} regions, {cutting:,} of them to be cut")
        regions.cut(known=regions_known)
        session.insert(SETTLED, settle)
        cutting, regions_known = regions.progress()
    if qids:
        session.create(PARTS, Statement("store/relation", relation=SETTLED))
        rounds += qid_regions.cut_on(regions, qids)
        session.create(SETTLED, Statement("store/relation", relation=PARTS))
    (settled,) = session.row(Statement("search/mondrian/progress#found", settled=SETTLED))
    regions.recode()
    regions.drop()
    return Partitioning(regions=settled, rounds=rounds, statements=session.statements - before)


def refine(star: Star, *, demand: Demand, seed: int) -> None:
    """Cut the equivalence classes of the recoding relation further, until no class has an allowable cut.

    The search is repeated until no level changes: regions with the same values form one class in the release, and this
    class may have an allowable cut that none of its regions had.
    """
    levels = Joined(tuple(Name(f"level_{dimension.position}") for dimension in star.dimensions), " + ")
    climbed = Statement("search/mondrian/progress#climbed", levels=levels, recoding=RECODING)
    before = None
    while (now := star.session.row(climbed)) != before:
        before = now
        search(star, demand=demand, seed=seed, again=True)
