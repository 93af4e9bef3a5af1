-- privacy/shares/above
cast("rows" as hugeint) * "parts" > cast(frequency as hugeint) * "share"

-- privacy/shares/below
cast("rows" as hugeint) * "parts" < cast(frequency as hugeint) * "share"

-- privacy/shares/never
false
