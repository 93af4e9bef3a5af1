"""The reader of workbooks (.xlsx): package, parts, cells, sheets; two readers read each sheet and must agree."""
