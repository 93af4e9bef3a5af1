"""Results of simulated attacks in a report, as whole percentages: these reveal no count of people below k."""

from __future__ import annotations

from dataclasses import replace

from starcloak.job.attack_result import Attack, Attacks, Trials

NOT_TRIED = (
    "No attack was tried on this release. To try attacks on the source, make the report from the job: starcloak "
    "report JOB.yaml --profile article-29."
)
_HOW = (
    "Each criterion was tested by attacks. Half of the released {people}, drawn at random, were the control group, "
    "and the job made a release of the other half. Every attack was tried on up to 2,000 {people} of each half, or "
    "with as many guesses (predicates). Success on the control group needs no release, only knowledge of the "
    "population: the risk is (attack - control) / (1 - control). Shares have a 95 % interval by Wilson (1927), "
    "risks one by Newcombe (1998, method 10). Counts of fewer than k successes or failures are replaced by the "
    "count, none or k, that is worse for the release."
)
_NOT_SHOWN = (
    "The test does not cover a reader who knows more than the quasi-identifiers, or has other releases. A release "
    "of half of the rows may be coarser than this release, so the risk of this release may be higher."
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
    shares = f"{_share(released)}, in the control group {_share(control)}"
    guess = (
        "" if attack.baseline is None else f"; {_NAIVE[attack.criterion]} {_share(_at_worst(attack.baseline, k, -1))}"
    )
    risk = f"Risk {_with_interval(at_worst.risk, at_worst.interval)}"
    if control.succeeded + k >= control.tried:
        risk = "The attack succeeds on nearly all of the control group, so no risk can be measured"
    return f"{_SAID[attack.criterion].format(what=attack.what, shares=shares)}{guess}. {risk}."


_SAID = {
    "Singling out": "Predicates on the {what} that match exactly one person: {shares}",
    "Linkability": "Records of {what}, matched correctly through the release: {shares}",
    "Inference": "{what}, guessed correctly from a person's class: {shares}",
}
_NAIVE = {
    "Singling out": "with predicates of random cells",
    "Linkability": "by chance",
    "Inference": "by the most frequent value",
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
