"""Results of simulated attacks in a report, as whole percentages: these reveal no count of people below k."""

from __future__ import annotations

from dataclasses import replace

from starcloak.job.attack_result import Attack, Attacks, Trials

NOT_TRIED = (
    "No attack was tried. The report on a job tries them on its source: starcloak report JOB.yaml --profile article-29."
)
_HOW = (
    "Each criterion was tried by attacks. Half of the released {people}, drawn at random, were held out, and the job "
    "made a release of the others. Every attack was tried on up to 2,000 of either half, or with as many predicates. "
    "What it learns of those held out, it knows of the population: the risk is (attack - control) / (1 - control). "
    "Every share has its interval of 95 % by Wilson (1927), every risk that of Newcombe (1998, method "
    "10). Fewer than k successes, or failures, count at worst for the release: as k and none, or as none and k."
)
_NOT_SHOWN = (
    "That does not show what somebody learns who knows more than the quasi-identifiers, or has other releases, too; "
    "and with half the rows columns may be coarser than in this release, so that its own risk may be higher."
)


def how(attacks: Attacks | None) -> list[str]:
    """Sentences on the method of the attacks and on its limits; for None, the sentence on attacks not tried."""
    if attacks is None:
        return [NOT_TRIED]
    return [_HOW.format(people=attacks.counted), _NOT_SHOWN]


def lines(attacks: Attacks | None, criterion: str, *, k: int) -> list[str]:
    """One line per attack of a criterion (such as Linkability): its result, or the reason why it was not tried."""
    if attacks is None:
        return []
    tried = [_line(attack, k) for attack in attacks.of(criterion)]
    return [*tried, *(f"Not tried: {why}." for what, why in attacks.untried if what == criterion)]


def _line(attack: Attack, k: int) -> str:
    """Sentence on the success of one attack.

    Fewer than k successes or failures are replaced by a count that makes the release look worse, so that the
    percentages reveal no such count.
    """
    released, control = _at_worst(attack.released, k, 1), _at_worst(attack.control, k, -1)
    at_worst = replace(attack, released=released, control=control)
    shares = f"{_share(released)}, of the control group {_share(control)}"
    guess = (
        "" if attack.baseline is None else f"; {_NAIVE[attack.criterion]} {_share(_at_worst(attack.baseline, k, -1))}"
    )
    risk = f"Risk {_with_interval(at_worst.risk, at_worst.interval)}"
    if control.succeeded + k >= control.tried:
        risk = "Nearly all of the control group: no risk can be measured"
    return f"{_SAID[attack.criterion].format(what=attack.what, shares=shares)}{guess}. {risk}."


_SAID = {
    "Singling out": "Predicates made of the {what} that match one alone: {shares}",
    "Linkability": "Records of {what}, put together through the release: {shares}",
    "Inference": "{what}, guessed from the class that somebody falls in, is right of {shares}",
}
_NAIVE = {
    "Singling out": "of predicates whose cells are put together at random",
    "Linkability": "by chance one of all people,",
    "Inference": "by its most frequent value",
}


def _share(trials: Trials) -> str:
    return f"{trials.rate:.0%}, exactly" if trials.is_exact else _with_interval(trials.rate, trials.interval)


def _with_interval(share: float, interval: tuple[float, float]) -> str:
    low, high = interval
    return f"{share:.0%} ({low:.0%} to {high:.0%})"


def _at_worst(trials: Trials, k: int, sign: int) -> Trials:
    succeeded, tried = trials.succeeded, trials.tried
    if trials.is_exact:
        return trials
    if 0 < succeeded < k:
        succeeded = min(k, tried) if sign > 0 else 0
    elif 0 < tried - succeeded < k:
        succeeded = tried if sign > 0 else max(0, tried - k)
    return Trials(tried, succeeded)
