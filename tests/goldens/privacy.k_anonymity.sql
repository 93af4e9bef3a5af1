-- privacy/k_anonymity/violated
coalesce(min(size), 5) < 5

-- privacy/k_anonymity/violating
frequency < 5
