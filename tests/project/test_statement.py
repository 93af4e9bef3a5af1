"""Parts of statements that are for dbt alone."""

from __future__ import annotations

import pytest

from starcloak.statements.statement import ProjectFile


@pytest.mark.parametrize(
    ("path", "is_accepted"),
    [("seeds/zip_codes.csv", True), ("zip.csv", True), ("it's.csv", False), ("{{ x }}.csv", False), ("é.csv", False)],
)
def test_a_file_of_a_dbt_project_has_plain_characters(path: str, is_accepted: bool) -> None:
    if is_accepted:
        assert ProjectFile(path).sql().endswith(f"/{path}'")
        return
    with pytest.raises(ValueError, match="has other characters than letters, digits, underscores"):
        ProjectFile(path)
