-- Cells that read differently; those of a suppressed row do.
cast(sum(frequency) filter (where suppressed or modified) as bigint)
