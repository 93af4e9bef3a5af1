"""Workbooks (.xlsx) as a source: package, parts, cells, tables; each sheet is read twice and must agree."""
