"""A messy table of a hospital: visits of patients in 30 columns, with several spellings and formats."""

from __future__ import annotations

import csv
import datetime
import random
from pathlib import Path
from typing import Any

# fmt: off
COLUMNS = (
    "bill_no", "patient_no", "first_name", "last_name", "email", "phone", "birth_date", "sex", "postcode", "city",
    "nationality", "occupation", "marital_status", "religion", "insurer", "income", "admission", "discharge",
    "los_days", "ward", "attending", "icd", "icd_text", "height_cm", "weight_kg", "bmi", "blood_type", "smoker",
    "children", "notes",
)
_NAMES = ("Anna", "Maria", "Sofia", "Lea", "Emma", "Jan", "Peter", "Klaus", "Tom", "Luca", "Karl", "Otto")
_SURNAMES = tuple(
    first + last
    for first in ("Mül", "Schmi", "Schnei", "Fi", "We", "Mei", "Wag", "Be", "Schul", "Hoff")
    for last in ("ler", "dt", "der", "scher")
)
_SPELLINGS = {"f": ["F", "f", "female", "Female", "W", "weiblich "], "m": ["M", "m", "male", "Male", " männlich"]}
_WARDS = ("Cardiology", "Surgery", "Oncology", "Paediatrics", "Neurology", "ICU", "Orthopaedics", "Maternity")
_ICDS = (
    "I10", "I21.0", "I50.9", "E11.9", "C50.9", "J18.9", "J44.1", "S72.0", "K35.8", "N39.0", "M54.5", "G40.9", "F32.1",
    "B20", "O80", "Z38.0", "A41.9",
)
_JOBS = ("nurse", "teacher", "clerk", "driver", "engineer", "farmer", "retired", "student", "unemployed", "cook")
_NATIONS = ["German"] * 80 + ["Turkish"] * 6 + ["Polish"] * 5 + ["Syrian"] * 4 + ["Italian"] * 3 + ["French"]
# fmt: on


def _patient(chance: random.Random, number: int, codes: list[str]) -> dict[str, Any]:
    sex = chance.choice("fm")
    return {
        "no": 700_000 + 7 * number,
        "name": chance.choice(_NAMES),
        "surname": chance.choice(_SURNAMES),
        "birth": datetime.date(1930, 1, 1) + datetime.timedelta(days=chance.randrange(365 * 90)),
        "sex": sex,
        "code": codes[min(int(chance.paretovariate(0.8)) - 1, len(codes) - 1)],
        "height": chance.gauss(178 if sex == "m" else 166, 7),
        "weight": chance.gauss(82 if sex == "m" else 70, 13),
        "income": int(chance.lognormvariate(10.4, 0.5)),
        "job": chance.choice(_JOBS),
        "fixed": [
            chance.choice(values.split())
            for values in ("single married divorced widowed", "none catholic protestant muslim jewish", "AOK TK DAK")
        ],
        "nation": chance.choice(_NATIONS),
        "blood": chance.choice(["A+", "0+", "B+", "AB+", "A-", "0-"]),
        "smoker": chance.choice(["yes", "no", "ex"]),
        "children": chance.choice([0, 0, 1, 2, 2, 3, 4]),
    }


def _visit(chance: random.Random, number: int, one: dict[str, Any]) -> list[object]:
    admitted = datetime.date(2022, 1, 1) + datetime.timedelta(days=chance.randrange(1000))
    days = min(int(chance.expovariate(0.2)), 60)
    dates = (admitted, admitted + datetime.timedelta(days=days))
    admission, discharge = (date.isoformat() if number % 3 else date.strftime("%d.%m.%Y") for date in dates)
    code, icd = one["code"], chance.choice(_ICDS)
    height, weight = round(one["height"]), one["weight"] + chance.gauss(0, 2)
    missing = chance.random() < 0.05
    return [
        f"B{2_000_000 + 3 * number}", one["no"], one["name"], one["surname"],
        f"{one['name']}.{one['surname']}{one['no'] % 97}@mail.example".lower(),
        f"0{chance.randrange(30, 99)}/{one['no']}",
        one["birth"].isoformat() if chance.random() < 0.99 else "", chance.choice(_SPELLINGS[one["sex"]]),
        (code.lstrip("0") if chance.random() < 0.15 else code) if chance.random() < 0.99 else "n/a", f"City{code[:2]}",
        one["nation"], one["job"].title() if chance.random() < 0.1 else one["job"], *one["fixed"],
        f"{one['income']:,}" if chance.random() < 0.95 else "", admission, discharge, days, chance.choice(_WARDS),
        f"Dr. {chance.choice(_SURNAMES)}", icd, f"diagnosis {icd[:3]}", 999 if missing else height,
        999 if missing else f"{weight:.1f}", "" if missing else f"{weight / (height / 100) ** 2:.1f}", one["blood"],
        one["smoker"], one["children"], chance.choice(["Patient stable.", "no complaints", "Pain;\nwill return", ""]),
    ]  # fmt: skip


def write(rows: int, seed: int, path: Path) -> None:
    """Write the table as CSV with semicolons; it has a fifth as many patients as rows."""
    chance = random.Random(seed)
    codes = [f"{code:05}" for code in chance.sample(range(1067, 19999), 220)]
    patients = [_patient(chance, number, codes) for number in range(max(1, rows // 5))]
    with path.open("w", encoding="utf-8-sig", newline="") as file:
        lines = csv.writer(file, delimiter=";")
        lines.writerow(COLUMNS)
        lines.writerows(_visit(chance, number, chance.choice(patients)) for number in range(rows))
