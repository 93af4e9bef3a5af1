"""Results of attacks on a release, and of the same attacks on a control group: people absent from the release."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from typing import Literal

from starcloak.base.drawing.summary import Summarized, Summary

Criterion = Literal["Singling out", "Linkability", "Inference"]
_Z = 1.959963984540054  # of the normal distribution, for intervals of 95 %


@dataclass(frozen=True)
class Trials:
    """Numbers of attacks tried and of successful attacks; ``is_exact`` is true if all possible attacks were tried."""

    tried: int
    succeeded: int
    is_exact: bool = False

    @property
    def rate(self) -> float:
        """The share (0 … 1) of successful attacks; 0 without attacks."""
        return self.succeeded / self.tried if self.tried else 0.0

    @property
    def interval(self) -> tuple[float, float]:
        """The score interval of 95 % for the success rate (Wilson 1927); from 0 to 1 without attacks.

        If all possible attacks were tried, both ends are the success rate.
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
    """One kind of attack: its success on people of the release (``released``), and on the control group (``control``).

    ``what`` describes the data used by the attack. ``baseline`` counts naive guesses and the right ones among them;
    None without guesses.
    """

    criterion: Criterion
    what: str
    released: Trials
    control: Trials
    baseline: Trials | None

    @property
    def risk(self) -> float:
        """Additional risk by the release, from 0 to 1: (attack - control) / (1 - control), with the success rates.

        Giomi, Boenisch, Wehmeyer, Tasnádi 2022, equation 5. The risk is 0 if the attack succeeds on the control group
        at least as often.
        """
        left = 1 - self.control.rate
        return max(0.0, (self.released.rate - self.control.rate) / left) if left else 0.0

    @property
    def interval(self) -> tuple[float, float]:
        """The interval of 95 % for the risk, from the intervals of both success rates (Newcombe 1998, method 10)."""
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

    The people in a job's released rows were split at random: the job was run on ``people`` of them, and ``control``
    people, absent from this release, are the control group. ``k`` is the size of the release's smallest class, None
    without rows. ``counted`` is the unit of ``people`` and ``control``. ``untried`` has criteria with an attack that
    was not tried, and the reason.
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
        """Text and table with the success rates, the risk and the interval of every attack."""
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
