"""Results of attacks on a release, beside the same attacks on people who were not in it."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from typing import Literal

from starcloak.base.drawing.summary import Summarized, Summary

Criterion = Literal["Singling out", "Linkability", "Inference"]
_Z = 1.959963984540054  # of the normal distribution, for intervals of 95 %


@dataclass(frozen=True)
class Trials:
    """Number of attacks ``tried``, and of those that ``succeeded``; ``is_exact`` if these are all possible attacks."""

    tried: int
    succeeded: int
    is_exact: bool = False

    @property
    def rate(self) -> float:
        """The share (0 … 1) that succeeded; 0 if none was tried."""
        return self.succeeded / self.tried if self.tried else 0.0

    @property
    def interval(self) -> tuple[float, float]:
        """The score interval of 95 % for that share (Wilson 1927); from 0 to 1 if none was tried.

        An exact share has no width.
        """
        if not self.tried:
            return 0.0, 1.0
        if self.is_exact:
            return self.rate, self.rate
        weight = _Z**2 / self.tried
        middle = (self.rate + weight / 2) / (1 + weight)
        half = sqrt(weight * (self.rate * (1 - self.rate) + weight / 4)) / (1 + weight)
        return max(0.0, middle - half), min(1.0, middle + half)


@dataclass(frozen=True)
class Attack:
    """One attack, by the data ``what`` it uses: its success on people of the release, and on the control group.

    ``baseline`` are naive guesses and the right ones among them; None without guesses.
    """

    criterion: Criterion
    what: str
    released: Trials
    control: Trials
    baseline: Trials | None

    @property
    def risk(self) -> float:
        """Additional risk by the release, from 0 to 1: (attack - control) / (1 - control), of the shares that succeed.

        Giomi, Boenisch, Wehmeyer, Tasnádi 2022, equation 5; 0 if the control group fares as well.
        """
        left = 1 - self.control.rate
        return max(0.0, (self.released.rate - self.control.rate) / left) if left else 0.0

    @property
    def interval(self) -> tuple[float, float]:
        """The interval of 95 % for the risk, from those of the two shares (Newcombe 1998, method 10)."""
        attack, control = self.released.rate, self.control.rate
        left = 1 - control
        if not left:
            return 0.0, 1.0
        (low, high), (control_low, control_high) = self.released.interval, self.control.interval
        slope = (1 - attack) / left**2
        below = sqrt(((attack - low) / left) ** 2 + (slope * (control_high - control)) ** 2)
        above = sqrt(((high - attack) / left) ** 2 + (slope * (control - control_low)) ** 2)
        risk = (attack - control) / left
        return min(max(risk - below, 0.0), 1.0), min(max(risk + above, 0.0), 1.0)


@dataclass(frozen=True, repr=False)
class Attacks(Summarized):
    """Attacks by the three criteria of the Article 29 Working Party (Opinion 05/2014, WP 216, section 2).

    Of the people in a job's released rows, ``people`` were drawn at random, and the job made a release of them;
    ``control`` people were held out of it. ``k`` is the smallest class of that release, None without rows; ``counted``
    says whether people are rows or persons. ``untried`` has attacks of a criterion that were not tried, and the
    reasons.
    """

    source: str
    people: int
    control: int
    counted: Literal["rows", "persons"]
    k: int | None
    attacks: tuple[Attack, ...]
    untried: tuple[tuple[Criterion, str], ...] = ()

    def of(self, criterion: str) -> tuple[Attack, ...]:
        """The attacks of one criterion."""
        return tuple(attack for attack in self.attacks if attack.criterion == criterion)

    @property
    def summary(self) -> Summary:
        """The risk of every attack."""
        worst = max(self.attacks, key=lambda attack: attack.risk, default=None)
        return Summary(
            lines=[
                f"Attacks on a release of {self.people:,} {self.counted} of {self.source}, k = {self.k}",
                f"{self.control:,} {self.counted} as the control group",
                *([] if worst is None else [f"highest risk {worst.risk:.3f}: {worst.criterion.lower()}, {worst.what}"]),
            ],
            head=["", "attack", "control", "naive", "risk", "95 %"],
            rows=[
                [
                    f"{attack.criterion}: {attack.what}",
                    f"{attack.released.rate:.3f}",
                    f"{attack.control.rate:.3f}",
                    "" if attack.baseline is None else f"{attack.baseline.rate:.3f}",
                    f"{attack.risk:.3f}",
                    "{:.3f} to {:.3f}".format(*attack.interval),
                ]
                for attack in self.attacks
            ],
            notes=[f"{criterion}: {why}" for criterion, why in self.untried],
        )
