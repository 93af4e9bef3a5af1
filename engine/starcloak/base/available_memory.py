"""Memory still available to this process, bounded by its address space, its control groups and the free memory.

On systems without these files or limits, such as Windows, no bound is known.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

_ROOT = Path("/")


def available(root: Path = _ROOT) -> int | None:
    """Bytes of memory still available to this process, at least 1: the least known bound; None if no bound is known.

    ``root`` is the folder of ``proc`` and ``sys``; only tests set it.
    """
    bounds = [*_of_address_space(root), *_of_control_groups(root), *_of_machine(root)]
    return max(1, min(bounds)) if bounds else None


def _of_address_space(root: Path) -> Iterator[int]:
    """Yield half of the unused address space if limited (``ulimit -v``): allocators reserve more than they use."""
    try:
        import resource
    except ImportError:  # Windows has none
        return
    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    if limit == resource.RLIM_INFINITY:
        return
    taken = 0
    with suppress(OSError, ValueError):
        taken = int((root / "proc/self/statm").read_text().split()[0]) * os.sysconf("SC_PAGE_SIZE")
    yield (limit - taken) // 2


def _of_machine(root: Path) -> Iterator[int]:
    """Yield the bytes of free memory of the machine, including caches that the system can release at once."""
    with suppress(OSError, ValueError):
        for line in (root / "proc/meminfo").read_text().splitlines():
            if line.startswith("MemAvailable:"):
                yield int(line.split()[1]) * 1024


def _of_control_groups(root: Path) -> Iterator[int]:
    """Yield the unused bytes of the process's control groups (versions 1 and 2) and of all groups above them."""
    with suppress(OSError):
        for line in (root / "proc/self/cgroup").read_text().splitlines():
            _, controllers, group = line.split(":", 2)
            if not controllers:
                yield from _left(root / "sys/fs/cgroup", group, "memory.max", "memory.current", "inactive_file")
            elif "memory" in controllers.split(","):
                names = ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file")
                yield from _left(root / "sys/fs/cgroup/memory", group, *names)


def _left(top: Path, group: str, limit: str, usage: str, cache: str) -> Iterator[int]:
    """Yield the unused bytes of a control group and of each group above it.

    ``limit`` and ``usage`` are file names in a group's folder, ``cache`` is the entry of ``memory.stat`` for releasable
    memory. In a container, the folder ``top`` is the container's own group.
    """
    inside = Path(group.lstrip("/"))
    for folder in {top / inside, *(top / parent for parent in inside.parents), top}:
        with suppress(OSError, ValueError):  # the root has no limit, and "max" is no number
            left = int((folder / limit).read_text()) - int((folder / usage).read_text())
            given_back = [line.split()[1] for line in (folder / "memory.stat").read_text().splitlines()
                          if line.split()[0] == cache]  # fmt: skip
            yield left + sum(map(int, given_back))
