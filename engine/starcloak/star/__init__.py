"""The star schema, frequency sets and recodings: data that every search reads and writes."""
