"""Templates and their rendering: every value is escaped, and every variable must be set."""

from __future__ import annotations

from functools import cache
from typing import Any

import jinja2


@cache
def _environment() -> jinja2.Environment:
    return jinja2.Environment(
        loader=jinja2.PackageLoader("starcloak.base.drawing"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )


def render(template: str, /, **filled: Any) -> str:
    """The text of a template of ``drawing/templates`` with these values."""
    text: str = _environment().get_template(template).render(**filled)
    return text
