"""Positions of labels next to the marks of a drawing, without overlaps of labels and marks."""

from __future__ import annotations

from collections.abc import Sequence

_LETTER, _ABOVE, _BELOW = 7.5, 10.0, 3.0  # the width of a letter, and the height of a text above and below its line
_RADIUS = 4.0
_BESIDE = 7.0

_Box = tuple[float, float, float, float]


def label_places(marks: Sequence[tuple[float, float, str]]) -> list[tuple[float, float] | None]:
    """Find a position for the label of each mark: right or left of the mark, above or below.

    Args:
        marks: Per mark, its position (x and y in pixels from the upper left corner) and the text of its label.

    Returns:
        The position of each label, in the order of the marks: the left end of the label's line, in pixels. None for a
        label without a free position.

    >>> label_places([(10, 50, "2"), (60, 50, "3"), (61, 51, "5")])
    [(17.0, 44), (67.0, 44), (68.0, 65)]
    """
    dots = [(x - _RADIUS, y - _RADIUS, x + _RADIUS, y + _RADIUS) for x, y, _ in marks]
    taken: list[_Box] = []
    places: list[tuple[float, float] | None] = []
    for number, (x, y, text) in enumerate(marks):
        width = _LETTER * len(text)
        sides = [
            (x + _BESIDE, y - 6),
            (x + _BESIDE, y + 14),
            (x - _BESIDE - width, y - 6),
            (x - _BESIDE - width, y + 14),
        ]
        obstacles = [*taken, *(dot for dot_number, dot in enumerate(dots) if dot_number != number)]
        boxes = {(left, line): (left, line - _ABOVE, left + width, line + _BELOW) for left, line in sides}
        place = next(
            (at for at, box in boxes.items() if not any(_overlap(box, dot_number) for dot_number in obstacles)), None
        )
        places.append(place)
        taken += [] if place is None else [boxes[place]]
    return places


def _overlap(box: _Box, obstacle: _Box) -> bool:
    return box[0] < obstacle[2] and obstacle[0] < box[2] and box[1] < obstacle[3] and obstacle[1] < box[3]
