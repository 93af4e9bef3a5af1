"""Another program on rows.csv of the working folder, run by an interpreter that has it and nothing of starcloak."""

from __future__ import annotations

import json
import sys

import pandas


def main(program: str, k: str, quasi_identifiers: str, sensitive: str) -> None:
    """Write the release of anjana, or print the figures of pyCANON."""
    names = quasi_identifiers.split(",")
    rows = pandas.read_csv("rows.csv", dtype=str, keep_default_na=False)
    if program == "pycanon":
        from pycanon import anonymity

        columns = (rows, names, [sensitive])
        found = {
            "k": anonymity.k_anonymity(rows, names),
            "l": anonymity.l_diversity(*columns),
            "t": anonymity.t_closeness(*columns),
            "alpha": anonymity.alpha_k_anonymity(*columns)[0],
            "beta": anonymity.basic_beta_likeness(*columns),
        }
        print(json.dumps({name: float(value) for name, value in found.items()}))
        return
    from anjana.anonymity import k_anonymity

    hierarchies = {
        name: dict(pandas.read_csv(f"{name}.csv", header=None, sep=";", dtype=str, keep_default_na=False))
        for name in names
    }
    k_anonymity(rows, [], names, int(k), 0, hierarchies)[names].to_csv("anjana.csv", index=False)


if __name__ == "__main__":
    main(*sys.argv[1:])
