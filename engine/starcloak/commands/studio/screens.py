"""The pages of a studio: HTML rendered by the server, usable without scripts; a script updates parts of a page.

A method of :class:`Screens` that applies a form returns the page to show next.
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import urlencode

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route

from starcloak.base.column_names import ROLES
from starcloak.base.drawing.lattice import MOST, draw
from starcloak.base.drawing.render import renderer
from starcloak.base.errors import JobError, StarcloakError, without_passwords
from starcloak.commands.comparison import plot
from starcloak.commands.counted_lattice import CountedLattice, TradeOff
from starcloak.commands.studio.hierarchy_forms import KINDS, UNITS, filled_form, hierarchy_files, read_form
from starcloak.commands.studio.model_forms import form_of, model_forms
from starcloak.commands.studio.shared_state import WORKS, SharedState
from starcloak.commands.studio.trees import regroup, tree_of
from starcloak.job.result import Result
from starcloak.releases.disclosure import disclosure_of, is_joint_below, verdict

#: The screens, in the order in which one decides.
SCREENS = ("decide", "table", "hierarchies", "requirement", "lattice", "preview", "release")
_ASSETS = {
    "studio.css": "text/css",
    "studio.js": "text/javascript",
    "lattice.js": "text/javascript",
    "icon.svg": "image/svg+xml",
}
_LARGEST = 1_000_000  # k, as a form asks for it
#: Renders a template of the studio.
rendered = renderer("starcloak.commands.studio")


def application(state: SharedState) -> Starlette:
    """The web application with the pages of a job's studio."""
    screens = Screens(state)
    posts: dict[str, Callable[[Mapping[str, str]], str]] = {
        "/role": screens.set_role,
        "/clean": screens.set_cleaning,
        "/decide": screens.decide,
        "/confirm": screens.confirm_all,
        "/commas": screens.set_commas,
        "/hierarchy": screens.set_hierarchy,
        "/hierarchy-form": screens.set_hierarchy_form,
        "/group": screens.set_group,
        "/bounds": screens.set_bounds,
        "/requirement": screens.set_requirement,
        "/model": screens.add_model,
        "/drop-model": screens.drop_model,
        "/person": screens.set_person,
        "/levels": screens.set_levels,
        "/start": screens.start,
        "/cancel": screens.cancel,
        "/undo": screens.undo,
        "/save": screens.save,
        "/reload": screens.reload,
    }
    fragments = {
        "/answer": screens.answer,
        "/node": screens.node,
        "/work": screens.work,
        "/report": screens.report,
        "/curve.svg": screens.curve,
    }
    return Starlette(
        routes=[
            Route("/", lambda _: RedirectResponse("/decide", 303)),
            *(Route(f"/{name}", _page(screens, name)) for name in SCREENS),
            *(Route(path, _asked(fragment)) for path, fragment in fragments.items()),
            *(Route(path, _posted(screens, change), methods=["POST"]) for path, change in posts.items()),
            *asset_routes(),
        ]
    )


def asset_routes() -> list[Route]:
    """The styles, scripts and pictures of the pages."""
    return [Route(f"/assets/{name}", _asset(name)) for name in _ASSETS]


def _asset(name: str) -> Callable[[Request], Response]:
    return lambda _: Response(rendered(name), media_type=_ASSETS[name])


def _page(screens: Screens, name: str) -> Callable[[Request], Any]:
    async def shown(request: Request) -> Response:
        return await run_in_threadpool(screens.page, name, dict(request.query_params))

    return shown


def _asked(fragment: Callable[[Mapping[str, str]], Response]) -> Callable[[Request], Any]:
    async def answered(request: Request) -> Response:
        try:
            return await run_in_threadpool(fragment, dict(request.query_params))
        except StarcloakError as error:
            return HTMLResponse(rendered("problem.html", problem=without_passwords(str(error))), 422)

    return answered


def _posted(screens: Screens, change: Callable[[Mapping[str, str]], str]) -> Callable[[Request], Any]:
    async def changed(request: Request) -> Response:
        async with request.form() as form:
            fields = {key: value for key, value in form.items() if isinstance(value, str)}
        return await run_in_threadpool(screens.change, change, fields)

    return changed


class Screens:
    """The pages' content, from the job and the computed results, and the changes by forms."""

    def __init__(self, state: SharedState) -> None:
        self._state = state

    # ----------------------------------------------------------------------------------------------------------- pages

    def page(self, name: str, query: Mapping[str, str], problem: str = "", status: int = 200) -> Response:
        """The page of a screen; ``problem`` is the error message of the last change, empty without one."""
        state = self._state
        with state.lock:
            filled: dict[str, Any] = {
                "screens": SCREENS,
                "screen": name,
                "file": state.file,
                "problem": problem,
            }
            try:
                filled |= getattr(self, f"_{name}")(query) | ({"problem": problem} if problem else {})
            except StarcloakError as error:
                filled |= {"problem": problem or without_passwords(str(error)), "screen": name, "failed": True}
            filled["work"] = {work: self._shown(work) for work in WORKS}
            return HTMLResponse(rendered(f"{name}.html", **{"failed": False, **filled}), status)

    def _shown(self, name: str) -> dict[str, Any] | None:
        work = self._state.work(name)
        if work is None:
            return None
        stale = self._state.is_stale(name)
        return {
            "state": work.state,
            "progress": work.progress,
            "problem": work.problem,
            "stale": stale,
            "parts": work.parts,
            "usual": self._state.usual.get(name),
        }

    def _decide(self, asked: Mapping[str, str]) -> dict[str, Any]:
        state = self._state
        by_role: dict[str, list[str]] = {role: [*getattr(state.file.job, role)] for role in ROLES}
        if state.file.job.persons:
            by_role["person"] = [*state.file.job.persons]
        unconfirmed = state.file.unconfirmed
        return {
            "decisions": state.decisions,
            "roles": ROLES,
            "by_role": by_role,
            "unconfirmed": {role: unconfirmed.get(role, []) for role in by_role},
        }

    def _table(self, query: Mapping[str, str]) -> dict[str, Any]:
        drafted = self._state.result("table")
        return {
            "columns": self._state.columns,
            "roles": ROLES,
            "drafted": drafted,
            "cleaning": self._state.cleaning.values(),
        }

    def _hierarchies(self, query: Mapping[str, str]) -> dict[str, Any]:
        state = self._state
        state.keep("levels")
        names = list(state.file.job.quasi_identifiers)
        hierarchies = {name: state.file.hierarchy(name) for name in names}
        if query.get("column") in hierarchies:
            hierarchies[query["column"]] = query.get("hierarchy", hierarchies[query["column"]])
        counted = state.hierarchies
        return {
            "given": hierarchies,
            "counted": counted,
            "trees": {name: tree_of(hierarchy) for name, hierarchy in counted.items() if hierarchy.is_whole},
            "bounds": state.file.job.quasi_identifiers,
            "wrong": query.get("column"),
            "opened": query.get("opened"),
            "forms": {name: filled_form(state.file.settings(name)) for name in names},
            "kinds": KINDS,
            "units": UNITS,
            "files": hierarchy_files(state.file.path.parent),
        }

    def _requirement(self, query: Mapping[str, str]) -> dict[str, Any]:
        state, file = self._state, self._state.file
        k, suppression = self._required(query)
        answered, problem = self._answered(k, suppression)
        compared = state.result("curve")
        roles = [(column.name, column.role) for column in state.columns]
        return {
            "k": k,
            "suppression": suppression,
            **answered,
            "points": [] if compared is None else compared.drawn,
            "refused": {point.algorithm: point.problem for point in compared.points if point.problem}
            if compared
            else {},
            "models": file.models,
            "forms": model_forms().values(),
            "readable": [name for name, role in roles if role in ("sensitive", "keep")] or file.job.sensitive,
            "persons": file.job.persons,
            "tellers": [name for name, role in roles if role in (None, "identifiers", "person")],
            "filled": query,
            "algorithm": file.job.algorithm.name if state.is_local else None,
            **problem,
        }

    def _answered(self, k: int, suppression: str) -> tuple[dict[str, Any], dict[str, str]]:
        """Template values for a k and a suppression, and any problem.

        The values are of releases for a local algorithm, else of the counted lattice.
        """
        state = self._state
        if state.is_local:
            state.keep("releases")
            return {"local": True, "releases": state.releases, "estimate": state.releases and state.releases.at(k)}, {}
        state.keep("lattice")
        answer, problem = self._answer(k, suppression)
        return {"local": False, "answer": self._in_words(answer)}, problem

    def _in_words(self, answer: tuple[CountedLattice, TradeOff] | None) -> dict[str, Any] | None:
        """Template values for the lattice's chosen node, with level names; None before the lattice is counted."""
        if answer is None:
            return None
        counted, trade_off = answer
        place = trade_off.chosen
        shown: dict[str, Any] = {
            "lattice": counted,
            "at": trade_off,
            "place": place,
            "satisfying": int(trade_off.satisfying.sum()),
        }
        if place is None:
            return shown
        figures = _figures(counted, trade_off, place, self._labels(counted))
        released = counted.rows - figures["left_out"]
        counts_rows = released > 0 and not self._state.file.job.persons  # the average risk of a person may be higher
        return shown | figures | {"average": figures["classes"] / released if counts_rows else None}

    def _labels(self, counted: CountedLattice) -> dict[str, list[str]]:
        return self._state.labels(dict(zip(counted.attributes, counted.heights, strict=True)))

    def _lattice(self, query: Mapping[str, str]) -> dict[str, Any]:
        self._state.keep("lattice")
        k, suppression = self._required(query)
        answer, problem = self._answer(k, suppression)
        drawing = None
        if answer is not None and answer[0].complete and len(answer[0]) <= MOST:
            counted, trade_off = answer
            chosen = [] if trade_off.chosen is None else counted.nodes[trade_off.chosen].tolist()
            minimal = counted.nodes[trade_off.minimal].tolist()
            drawing = draw(
                counted.attributes,
                counted.bounds,
                trade_off.satisfying,
                minimal,
                chosen,
                loss=trade_off.loss,
                labels=list(self._labels(counted).values()),
            )
        shown = {"k": k, "suppression": suppression, "answer": self._in_words(answer), "drawing": drawing}
        return {**shown, "local": self._state.is_local, "algorithm": self._state.file.job.algorithm.name, **problem}

    def _answer(self, k: int, suppression: str) -> tuple[tuple[CountedLattice, TradeOff] | None, dict[str, str]]:
        """The lattice's answer for a k and a suppression, or the problem in words: a page shows its forms in both
        cases.
        """
        try:
            return self._state.answer(k, suppression), {}
        except JobError as error:
            return None, {"problem": str(error)}

    def _preview(self, query: Mapping[str, str]) -> dict[str, Any]:
        return {"preview": self._state.result("preview")}

    def _release(self, query: Mapping[str, str]) -> dict[str, Any]:
        result: Result | None = self._state.result("run")
        sentence = None if result is None else verdict(disclosure_of(result).result, joint_below=is_joint_below(result))
        return {"result": result, "verdict": sentence, "output": self._state.file.job.output}

    def _required(self, query: Mapping[str, str]) -> tuple[int, str]:
        required = self._state.file.job.requirement
        k, suppression = query.get("k") or str(required.k or 1), query.get("suppression") or str(required.suppression)
        if not re.fullmatch(r"[0-9]{1,7}", k) or not 1 <= int(k) <= _LARGEST:
            raise JobError("k must be a whole number from 1 on: give a number such as 5")
        return int(k), suppression

    # ------------------------------------------------------------------------------------------------------- fragments

    def answer(self, query: Mapping[str, str]) -> Response:
        """The part of a page with the figures for a k and a suppression."""
        with self._state.lock:
            k, suppression = self._required(query)
            answered, problem = self._answered(k, suppression)
            if problem:
                raise JobError(problem["problem"])
        return HTMLResponse(rendered("answer.html", **answered, k=k))

    def node(self, query: Mapping[str, str]) -> Response:
        """The part of a page with a node's figures, and the nodes one level below it that do not satisfy."""
        with self._state.lock:
            k, suppression = self._required(query)
            answer, version = self._state.answer(k, suppression), self._state.file.version
            labels = {} if answer is None else self._labels(answer[0])
        if answer is None:
            raise JobError("the lattice is not counted yet: count it first")
        node = _levels(answer[0], query)
        parameters = {"k": k, "node": node, "suppression": suppression, "version": version}
        return HTMLResponse(rendered("node.html", **_node(*answer, node, labels), **parameters))

    def work(self, query: Mapping[str, str]) -> Response:
        """The part of a page with the progress of a computation."""
        name = query.get("name", "")
        return HTMLResponse(rendered("work.html", name=name, work=self._shown(name)))

    def report(self, query: Mapping[str, str]) -> Response:
        """The report on the release, with a Content-Security-Policy for its own style and script alone."""
        text = self._state.report()
        directive = re.search(r'http-equiv="Content-Security-Policy" content="([^"]*)"', text)
        policy = html.unescape(directive[1]) if directive else "default-src 'none'"
        return HTMLResponse(text, headers={"content-security-policy": policy})

    def curve(self, query: Mapping[str, str]) -> Response:
        """The plot of loss against risk, as SVG."""
        compared = self._state.result("curve")
        if compared is None:
            raise JobError("there is no comparison yet: start the comparison first")
        headers = {"content-security-policy": "default-src 'none'; style-src 'unsafe-inline'"}
        return Response(plot.as_svg(compared.source, compared.lines), media_type="image/svg+xml", headers=headers)

    # --------------------------------------------------------------------------------------------------------- changes

    def change(self, change: Callable[[Mapping[str, str]], str], form: Mapping[str, str]) -> Response:
        """Apply the change of a form; then show its screen again, with any problem."""
        screen = form.get("screen", "table")
        screen = screen if screen in SCREENS else "table"
        try:
            with self._state.lock:
                if form.get("version", self._state.file.version) != self._state.file.version:
                    raise JobError("the job was changed in another window: read the job as it is now, and decide again")
                where = change(form)
        except StarcloakError as error:
            return self.page(screen, form, without_passwords(str(error)), 422)
        return RedirectResponse(f"/{where or screen}", 303)

    def set_role(self, form: Mapping[str, str]) -> str:
        """Set the role of a column."""
        column, role = form.get("column", ""), form.get("role", "")
        self._state.file.set_role(column, role, self._state.proposed_hierarchy(column))
        return "decide" if form.get("screen") == "decide" else "table"

    def decide(self, given: Mapping[str, str]) -> str:
        """Confirm the draft's decision on a column."""
        self._state.file.decide(given.get("column", ""))
        return "decide"

    def confirm_all(self, given: Mapping[str, str]) -> str:
        """Confirm the draft's decisions on all columns of a role."""
        self._state.file.confirm_all(given.get("role", ""))
        return "decide"

    def set_commas(self, given: Mapping[str, str]) -> str:
        """Set the meaning of commas in a column's numbers: thousands or decimal."""
        column = given.get("column", "")
        self._state.proposed_hierarchy(column)
        self._state.file.set_commas(column, given.get("meaning", ""))
        return "decide" if given.get("screen") == "decide" else "table#cleaning"

    def set_cleaning(self, form: Mapping[str, str]) -> str:
        """Accept or reject the proposed cleaning of a column."""
        self._state.set_cleaning(form.get("column", ""), accept=form.get("accept") == "yes")
        return "table#cleaning"

    def set_hierarchy(self, form: Mapping[str, str]) -> str:
        """Set a quasi-identifier's hierarchy from a YAML text."""
        return self._counted_anew(
            form, lambda column: self._state.file.set_hierarchy(column, form.get("hierarchy", ""))
        )

    def set_hierarchy_form(self, given: Mapping[str, str]) -> str:
        """Set a quasi-identifier's hierarchy from the form of its kind."""
        file = self._state.file
        return self._counted_anew(given, lambda column: file.set_rules(column, read_form(given, file.settings(column))))

    def set_group(self, form: Mapping[str, str]) -> str:
        """Move the chosen values and groups of a hierarchy into a group."""

        def group(column: str) -> None:
            counted = self._state.hierarchies.get(column)
            if counted is None:
                raise JobError("the levels are not counted yet: count them first")
            chosen = {int(key[4:]) for key in form if re.fullmatch(r"node[0-9]{1,4}", key)}
            self._state.file.set_tree(column, regroup(tree_of(counted), chosen, form.get("name", "").strip()))

        return self._counted_anew(form, group)

    def set_bounds(self, form: Mapping[str, str]) -> str:
        """Set the lowest and the highest released level of a quasi-identifier."""
        first, last = form.get("from", ""), form.get("to", "")
        if not re.fullmatch("[0-9]{1,3}", first) or not re.fullmatch("[0-9]{0,3}", last):
            raise JobError("levels must be whole numbers from 0 on: give a number such as 2")
        bounds = int(first), int(last) if last else None
        return self._counted_anew(form, lambda column: self._state.file.set_levels({column: bounds}))

    def _counted_anew(self, form: Mapping[str, str], change: Callable[[str], None]) -> str:
        """Apply a change to a quasi-identifier's hierarchy, and start counting the levels again."""
        column = form.get("column", "")
        if column not in self._state.file.job.quasi_identifiers:
            raise JobError(f"{column!r} is not a quasi-identifier of the job: reload the page")
        change(column)
        self._state.start("levels")
        place = list(self._state.file.job.quasi_identifiers).index(column) + 1
        return f"hierarchies?{urlencode({'opened': column})}#column{place}"

    def set_requirement(self, form: Mapping[str, str]) -> str:
        """Set k and suppression of the job."""
        k, suppression = self._required(form)
        self._state.file.set_requirement(k, suppression)
        return "" if "screen" in form else "requirement"

    def add_model(self, fields: Mapping[str, str]) -> str:
        """Add a privacy model to the job."""
        form = form_of(fields.get("model", ""))
        self._state.file.add_model(form.key, form.read(fields))
        return "requirement#models"

    def drop_model(self, form: Mapping[str, str]) -> str:
        """Remove a privacy model from the job."""
        model_heads = [model[:2] for model in self._state.file.models]
        key, at = form.get("key", ""), form.get("at", "")
        if not at.isdecimal() or (key, int(at)) not in model_heads:
            raise JobError("the job no longer has this model: reload the page")
        self._state.file.drop_model(key, int(at))
        return "requirement#models"

    def set_person(self, form: Mapping[str, str]) -> str:
        """Set the column that identifies persons, or none."""
        column = form.get("column", "")
        if column and column not in {shown.name for shown in self._state.columns}:
            raise JobError(f"{column!r} is not a column of the source: reload the page")
        self._state.file.set_person(column)
        return "requirement#persons"

    def set_levels(self, form: Mapping[str, str]) -> str:
        """Fix the release to a node of the lattice, for the k and suppression shown with it."""
        counted: CountedLattice | None = self._state.result("lattice")
        if counted is None:
            raise JobError("the lattice is not counted yet: count it first")
        k, suppression = self._required(form)
        node = _levels(counted, form)
        self._state.file.set_levels(
            {name: (level, level) for name, level in zip(counted.attributes, node, strict=True)}
        )
        self._state.file.set_requirement(k, suppression)
        self._state.start("lattice")
        return "lattice"

    def start(self, form: Mapping[str, str]) -> str:
        """Start a computation by its name."""
        self._state.start(form.get("name", ""))
        return ""

    def cancel(self, form: Mapping[str, str]) -> str:
        """Cancel a computation by its name."""
        self._state.cancel(form.get("name", ""))
        return ""

    def undo(self, given: Mapping[str, str]) -> str:
        """Undo the last change of the job."""
        self._state.file.undo()
        return ""

    def save(self, form: Mapping[str, str]) -> str:
        """Save the job to its file."""
        self._state.file.save()
        return "release"

    def reload(self, form: Mapping[str, str]) -> str:
        """Load the job from its file again, without the unsaved changes."""
        self._state.file.reload()
        return "release"


def _figures(
    counted: CountedLattice, trade_off: TradeOff, place: int, labels: Mapping[str, list[str]]
) -> dict[str, Any]:
    """Template values for a node: its levels, values and classes."""
    left_out, classes, achieved = (
        int(figures[place]) for figures in (trade_off.left_out, trade_off.classes, trade_off.achieved)
    )
    return {
        "levels": [
            (name, _label(labels, name, level), level)
            for name, level in zip(counted.attributes, counted.nodes[place].tolist(), strict=True)
        ],
        "values": counted.values_of(place),
        "left_out": left_out,
        "share": left_out / max(1, counted.rows),
        "loss": float(trade_off.loss[place]),
        "classes": classes,
        "achieved": achieved,
        "highest": 1 / achieved if achieved else None,
    }


def _label(labels: Mapping[str, list[str]], name: str, level: int) -> str:
    """The name of a level; its number for a hierarchy that has changed."""
    known = labels.get(name, [])
    return known[level] if level < len(known) else f"level {level}"


def _levels(counted: CountedLattice, query: Mapping[str, str]) -> list[int]:
    """The levels of the node in a request. Raises :class:`JobError` for a node outside the lattice."""
    levels = query.get("levels", "")
    if not re.fullmatch(r"[0-9]{1,4}(,[0-9]{1,4})*", levels):
        raise JobError("the lattice has no node with these levels: choose another node")
    node = [int(level) for level in levels.split(",")]
    counted.place(node)
    return node


def _node(
    counted: CountedLattice, trade_off: TradeOff, node: list[int], labels: Mapping[str, list[str]]
) -> dict[str, Any]:
    place = counted.place(node)
    below = []
    for at, attribute in enumerate(counted.attributes):
        if node[at] > counted.bounds[at][0]:
            lower = counted.place([level - (index == at) for index, level in enumerate(node)])
            satisfies = bool(trade_off.satisfying[lower])
            below.append(
                (attribute, _label(labels, attribute, node[at] - 1), satisfies, int(trade_off.left_out[lower]))
            )
    sizes = [entry for entry in counted.histogram(place) if entry.size < trade_off.k]
    return {
        "satisfies": bool(trade_off.satisfying[place]),
        "below": below,
        "violating": (sum(entry.classes for entry in sizes), sum(entry.rows for entry in sizes)),
        "allowed": trade_off.allowed,
        **_figures(counted, trade_off, place, labels),
    }
