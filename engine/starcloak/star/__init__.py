"""The star schema, frequency sets and recodings: what every search reads and writes."""
