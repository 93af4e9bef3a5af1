"""A hospital's table as it would come out of its system: visits of patients, 45 columns, messy. It is made up."""

from __future__ import annotations

import base64
import json
import random
import uuid
from collections.abc import Sequence
from datetime import date, timedelta
from itertools import accumulate
from typing import Any

import pandas

_FIRST = [
    "Anna", "Ben", "Clara", "David", "Emma", "Finn", "Greta", "Hans", "Ida", "Jonas", "Karl", "Lena", "Max", "Nora",
    "Otto", "Paula", "Ralf", "Sara", "Tom", "Uta",
]  # fmt: skip
_LAST = [
    "Adler", "Bauer", "Conrad", "Dietz", "Ernst", "Fuchs", "Graf", "Huber", "Jung", "Keller", "Lang", "Maier",
    "Noll", "Ott", "Peters", "Roth", "Sommer", "Wolf",
]  # fmt: skip
_TOWNS = [("Berlin", "Berlin", "10"), ("Hamburg", "Hamburg", "20"), ("Köln", "NRW", "50"), ("Bonn", "NRW", "53"),
          ("Kassel", "Hessen", "34"), ("München", "Bayern", "80"), ("Augsburg", "Bayern", "86")]  # fmt: skip
_NATIONS = ["Germany"] * 40 + ["Turkey", "Turkey", "Poland", "Italy", "Syria", "Greece", "Romania", "France", "Japan"]
_MARITAL = ["married"] * 9 + ["single"] * 8 + ["divorced"] * 2 + ["widowed"] * 2
_JOBS = [
    "clerk", "nurse", "teacher", "driver", "cook", "mechanic", "engineer", "cleaner", "farmer", "baker", "lawyer",
    "painter", "pilot", "judge", "sailor",
]  # fmt: skip
_EMPLOYERS = ["none", "city council", "car works", "post", "railway", "bakery", "school board", "hospital", "brewery"]
_DIAGNOSES = {
    "I10": "essential hypertension", "E11.9": "type 2 diabetes", "J18.9": "pneumonia", "I50.1": "heart failure",
    "M54.5": "low back pain", "K35.8": "acute appendicitis", "S72.0": "fracture of femur", "F32.9": "depression",
    "N39.0": "urinary tract infection", "C50.9": "malignant neoplasm of breast", "I21.9": "myocardial infarction",
    "J44.1": "chronic obstructive pulmonary disease", "K80.2": "gallstones", "G40.9": "epilepsy", "B20": "HIV disease",
}  # fmt: skip
_WARDS = {"1A": "internal", "1B": "internal", "2A": "surgery", "2B": "surgery", "3A": "neurology", "3B": "oncology"}
_WORDS = [
    "patient", "seen", "again", "after", "some", "days", "and", "told", "to", "come", "back", "when", "pain",
    "gets", "worse", "or", "does", "not", "go", "away",
]  # fmt: skip


def table(visits: int = 40_000, *, seed: int = 7) -> pandas.DataFrame:
    """So many visits by a third as many patients, always the same; every cell is a text or missing."""
    chance = random.Random(seed)
    patients = [_patient(chance, number) for number in range(visits // 3)]
    weights = [*accumulate(chance.paretovariate(1.5) for _ in patients)]
    return pandas.DataFrame(
        [
            _written(chance, patient | _visit(chance, patient["birth_date"]))
            for patient in chance.choices(patients, cum_weights=weights, k=visits)
        ],
        dtype=object,
    )


def _skewed(chance: random.Random, values: Sequence[str], shape: float = 1) -> str:
    """One of some values, of which the first are the most frequent."""
    return values[min(int(chance.paretovariate(shape)) - 1, len(values) - 1)]


def _patient(chance: random.Random, number: int) -> dict[str, Any]:
    town, state, start = _TOWNS[min(int(chance.expovariate(0.9)), len(_TOWNS) - 1)]
    first, last = chance.choice(_FIRST), chance.choice(_LAST)
    # Nobody has a second patient's number, and none is missing.
    return {
        "patient_id": f"P{100_000 + number}",
        "mrn": f"MRN-{500_000 + 7 * number}",
        "last_name": last,
        "first_name": first,
        "phone": f"+49 {chance.randint(30, 89)} {chance.randint(100_000, 999_999)}",
        "email": f"{first}.{last}{number}@mail.example".lower(),
        "birth_date": date(1930, 1, 1) + timedelta(int(chance.triangular(0, 33_000, 11_000))),
        "is_woman": chance.random() < 0.53,
        "postcode": f"{start}{chance.choice('134')}{chance.randrange(4) * 2 + 1:02d}",
        "city": town,
        "state": state,
        "nationality": chance.choice(_NATIONS),
        "marital_status": chance.choice(_MARITAL),
        "occupation": _skewed(chance, _JOBS, 1.2),
        "employer": _skewed(chance, _EMPLOYERS, 1.6),
        "religion": chance.choice(["none", "none", "catholic", "protestant", "muslim", "other"]),
        "insurance_kind": chance.choice(["public"] * 8 + ["private"]),
        "height_cm": chance.randint(148, 198),
        "smoker": chance.random() < 0.2,
    }


def _visit(chance: random.Random, born: date) -> dict[str, Any]:
    """What is of a visit, and how the person at the desk wrote what is of the patient."""
    admitted = date(2021, 1, 1) + timedelta(chance.randrange(3 * 365))
    stay = int(chance.expovariate(0.2)) + 1
    ward, code = chance.choice([*_WARDS]), _skewed(chance, [*_DIAGNOSES])
    cost = chance.lognormvariate(8, 0.7)
    age = chance.choices([(admitted - born).days // 365, 999, -1], [97, 2, 1])[0]
    return {
        "visit_id": str(uuid.UUID(int=chance.getrandbits(128))),
        "age": str(max(age, -1)),
        "admission_date": f"{admitted:%d.%m.%Y}",
        "discharge_date": f"{admitted + timedelta(stay):%d.%m.%Y}",
        "length_of_stay": str(stay),
        "ward": ward,
        "department": _WARDS[ward],
        "doctor": f"Dr. {_skewed(chance, _LAST)}",
        "diagnosis": code,
        "diagnosis_text": _DIAGNOSES[code],
        "secondary_diagnosis": chance.choice([None, None, "I10", "E11.9", "J44.1", "n/a", "-"]),
        "procedure": chance.choice(["none", "x-ray", "ct", "mri", "surgery"]),
        "drug": chance.choice(["aspirin", "insulin", "ibuprofen", "none", "ramipril"]),
        "cost": f"{cost:,.2f}".replace(",", "_").replace(".", ",").replace("_", "."),
        "weight_kg": f"{chance.gauss(76, 14):.1f}".replace(".", ","),
        "creatinine": f"{chance.uniform(0.5, 0.999):.3f}".replace(".", ","),
        "temperature": f"{chance.gauss(37, 0.7):.1f}",
        "heart_rate": str(chance.choices([int(chance.gauss(75, 12)), 999], [98, 2])[0]),
        "systolic": str(int(chance.gauss(130, 18))),
        "hemoglobin": f"{chance.gauss(13.5, 1.6):.1f}",
        "triage": str(chance.choice([1, 2, 3, 3, 3, 4, 5])),
        "discharged_to": chance.choice(["home", "home", "home", "rehabilitation", "nursing home"]),
        "admission_type": chance.choice(["emergency", "planned"]),
        "notes": " ".join(chance.choices(_WORDS, k=14)),
        "scan": base64.b64encode(chance.randbytes(90)).decode(),
        "vitals": json.dumps({"spo2": chance.randint(88, 100), "pain": chance.randint(0, 10)}),
    }


def _written(chance: random.Random, row: dict[str, Any]) -> dict[str, Any]:
    """A row as several people type it."""
    sex = ["f", "F", "female", "weiblich", "f "] if row.pop("is_woman") else ["m", "M", "male", "männlich", "m "]
    smoker = ["yes", "ja", "Yes"] if row.pop("smoker") else ["no", "nein", "No"]
    code = row["postcode"]
    return row | {
        "birth_date": f"{row['birth_date']:%d.%m.%Y}",
        "sex": chance.choices(sex, [60, 20, 12, 5, 3])[0],
        "smoker": chance.choices([*smoker, None, "unknown"], [40, 40, 10, 6, 4])[0],
        "postcode": chance.choices([code, f"{code[:2]} {code[2:]}"], [96, 4])[0],
        "occupation": chance.choices([row["occupation"], row["occupation"].title(), "n/a"], [88, 8, 4])[0],
        "height_cm": str(row["height_cm"]),
    }
