"""Templates and their rendering: every value is escaped, and every variable must be set."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import jinja2

#: The package of the templates for every other one.
_SHARED = "starcloak.base.drawing"


@cache
def _environment(package: str) -> jinja2.Environment:
    loaders = [jinja2.PackageLoader(each) for each in dict.fromkeys((package, _SHARED))]
    return jinja2.Environment(
        loader=jinja2.ChoiceLoader(loaders),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )


def renderer(package: str) -> Callable[..., str]:
    """Return a function to render a template by name, from the package's folder ``templates`` or the shared folder."""

    def render(template: str, /, **filled: Any) -> str:
        text: str = _environment(package).get_template(template).render(**filled)
        return text

    return render


#: Renders the shared templates.
render = renderer(_SHARED)
