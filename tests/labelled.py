"""Tables of many kinds, made up, whose columns have the roles that a careful person would give them."""

from __future__ import annotations

import random
import string
import uuid
from collections.abc import Callable
from datetime import date, datetime, timedelta
from typing import Any

import pandas

Cell = Callable[[random.Random, int], Any]
I, Q, S, K = "identifiers", "quasi_identifiers", "sensitive", "keep"  # noqa: E741

FIRST = ["Ann", "Bob", "Cid", "Dan", "Eve", "Fay", "Gus", "Hal", "Ida", "Jon", "Kim", "Lou", "Mia", "Ned", "Ola", "Pia"]
LAST = ["Ames", "Berg", "Cole", "Dahl", "Eich", "Falk", "Gray", "Hahn", "Ives", "Jung", "Katz", "Lund", "Moss", "Noll"]
STATES = ["CA", "TX", "NY", "FL", "WA", "OR", "NV", "AZ", "OH", "MI", "IL", "GA"]
COUNTRIES = ["Germany", "France", "Spain", "Italy", "Poland", "Austria", "Norway", "Japan", "India", "Brazil", "Canada"]
JOBS = [f"{kind} {what}" for kind in ("senior", "junior", "chief") for what in ("clerk", "nurse", "driver", "cook")]
CODES = ["E11.9", "I10", "J45.0", "M54.5", "F32.9", "K21.0", "N39.0", "C50.9", "Z00.0", "A09"]
WORDS = [
    "the",
    "patient",
    "was",
    "seen",
    "and",
    "told",
    "to",
    "come",
    "again",
    "after",
    "some",
    "days",
    "since",
    "then",
]


def pick(*values: Any) -> Cell:
    return lambda chance, _: chance.choice(values)


def tail(count: int, name: str = "v") -> Cell:
    """Values of which few are frequent."""
    return lambda chance, _: f"{name}{min(int(chance.paretovariate(0.8)), count)}"


def whole(low: int, high: int) -> Cell:
    return lambda chance, _: chance.randint(low, high)


def real(low: float, high: float, digits: int = 2) -> Cell:
    return lambda chance, _: round(chance.uniform(low, high), digits)


def day(first: int, last: int) -> Cell:
    return lambda chance, _: (date(first, 1, 1) + timedelta(chance.randrange((last - first) * 365))).isoformat()


def moment(year: int) -> Cell:
    return lambda chance, _: str(datetime(year, 1, 1) + timedelta(seconds=chance.randrange(86_400 * 360)))


def named(chance: random.Random, row: int) -> str:
    return f"{chance.choice(FIRST)} {chance.choice(LAST)}"


def mail(chance: random.Random, row: int) -> str:
    return f"{chance.choice(FIRST).lower()}.{row}@mail.example"


def phone(chance: random.Random, row: int) -> str:
    return f"+1 {chance.randint(200, 999)} {chance.randint(100, 999)} {chance.randint(1000, 9999)}"


def ip(chance: random.Random, row: int) -> str:
    return ".".join(str(chance.randint(1, 254)) for _ in range(4))


def code(chance: random.Random, row: int) -> str:
    return str(uuid.UUID(int=chance.getrandbits(128)))


def serial(chance: random.Random, row: int) -> int:
    return 100_000 + row


def prefixed(prefix: str) -> Cell:
    return lambda _, row: f"{prefix}{row:06d}"


def free(chance: random.Random, row: int) -> str:
    return " ".join(chance.choices(WORDS, k=12))


def zips(chance: random.Random, row: int) -> str:
    return f"{chance.choice([537, 538, 90, 100, 606]):03d}{chance.randint(0, 99):02d}"


def security(chance: random.Random, row: int) -> str:
    return f"{chance.randint(100, 799)}-{chance.randint(10, 99)}-{chance.randint(1000, 9999)}"


def hexes(chance: random.Random, row: int) -> str:
    return ":".join(f"{chance.randint(0, 255):02x}" for _ in range(6))


def letters(chance: random.Random, row: int) -> str:
    return "".join(chance.choices(string.ascii_uppercase, k=3))


def street(chance: random.Random, row: int) -> str:
    return f"{row} Oak Street"


def iban(chance: random.Random, row: int) -> str:
    return f"DE{chance.randint(10**19, 10**20 - 1)}"


def thousands(chance: random.Random, row: int) -> int:
    return chance.randint(20, 150) * 1000


def card(chance: random.Random, row: int) -> str:
    return "".join(chance.choices(string.digits, k=16))


TABLES: dict[str, dict[str, tuple[str, Cell]]] = {
    "hospital-visits": {
        "patient_id": (I, serial), "name": (I, named), "birth_date": (Q, day(1930, 2015)), "sex": (Q, pick("f", "m")),
        "zip": (Q, zips), "admission_date": (Q, day(2021, 2024)), "ward": (Q, pick("A", "B", "C")),
        "diagnosis": (S, pick(*CODES)), "length_of_stay_days": (Q, whole(1, 30)),
    },
    "lab-results": {
        "sample_no": (I, prefixed("S")), "mrn": (I, serial), "age": (Q, whole(0, 99)),
        "gender": (Q, pick("F", "M", "X")),
        "test": (S, pick("HbA1c", "LDL", "CRP")), "result": (S, real(1, 20, 1)), "unit": (K, pick("mg", "ml")),
        "collected": (Q, day(2022, 2024)),
    },
    "loans": {
        "loan_id": (I, prefixed("L")), "ssn": (I, security), "age": (Q, whole(18, 90)), "state": (Q, pick(*STATES)),
        "occupation": (Q, pick(*JOBS)), "annual_income": (S, whole(10, 200)), "loan_amount": (S, whole(1, 50)),
        "interest_rate": (S, real(1, 9)), "defaulted": (S, pick("yes", "no")), "term_years": (Q, pick(5, 10, 20)),
    },
    "credit": {
        "account": (I, serial), "credit_card": (I, card), "marital_status": (Q, pick("single", "married", "widowed")),
        "dependents": (Q, whole(0, 5)), "housing": (Q, pick("own", "rent", "free")), "balance": (S, real(-500, 9000)),
        "credit_score": (S, whole(300, 850)), "city": (Q, tail(40, "town")),
    },
    "telemetry": {
        "device_id": (I, prefixed("dev-")), "mac": (I, hexes),
        "timestamp": (Q, moment(2024)), "latitude": (Q, real(45, 55, 4)), "longitude": (Q, real(5, 15, 4)),
        "temperature": (K, whole(-10, 40)), "battery": (K, whole(0, 100)), "model": (Q, pick("T1", "T2", "T3")),
    },
    "web-logs": {
        "ip": (I, ip), "session": (I, code), "time": (Q, moment(2023)), "country": (Q, pick(*COUNTRIES)),
        "browser": (Q, pick("Firefox", "Chromium", "Safari")), "status_code": (K, pick(200, 301, 404, 500)),
        "bytes": (K, lambda c, _: c.randint(1, 40) * 512),
        "referrer_url": (I, lambda c, r: f"https://site.example/{r}"),
    },
    "survey": {
        "respondent_id": (I, serial), "age_group": (Q, pick("18-29", "30-44", "45-64", "65+")),
        "education": (Q, pick("none", "school", "college", "university")), "region": (Q, pick("N", "E", "S", "W")),
        "religion": (S, pick("a", "b", "c", "none")), "voted_party": (S, pick("red", "blue", "green")),
        "q1": (K, whole(1, 5)), "q2": (K, whole(1, 5)), "comment": (I, free),
    },
    "employees": {
        "employee_no": (I, prefixed("E")), "first_name": (I, pick(*FIRST)), "last_name": (I, pick(*LAST)),
        "email": (I, mail), "hire_date": (Q, day(1995, 2024)), "department": (Q, pick("IT", "HR", "Ops")),
        "job_title": (Q, pick(*JOBS)), "salary": (S, thousands), "performance_rating": (S, whole(1, 5)),
    },
    "students": {
        "student_id": (I, serial), "full_name": (I, named), "date_of_birth": (Q, day(1998, 2006)),
        "nationality": (Q, pick(*COUNTRIES)), "program": (Q, pick("CS", "Law", "Art")), "year": (Q, whole(1, 5)),
        "gpa": (S, real(1, 4)), "disability": (S, pick("yes", "no")),
    },
    "census": {
        "age": (Q, whole(17, 90)), "workclass": (Q, pick("Private", "State", "Self")),
        "education_num": (Q, whole(1, 16)),
        "marital-status": (Q, pick("never", "married", "divorced")), "race": (Q, pick("a", "b", "c")),
        "native-country": (Q, pick(*COUNTRIES)), "hours-per-week": (Q, whole(1, 80)),
        "income": (S, pick("<=50K", ">50K")),
    },
    "insurance-claims": {
        "policy_number": (I, prefixed("P")), "claim_amount": (S, real(50, 9000)), "claim_date": (Q, day(2019, 2024)),
        "vehicle_model": (Q, tail(30, "car")), "driver_birth_year": (Q, whole(1940, 2006)), "postcode": (Q, zips),
        "description": (I, free),
    },
    "pharmacy": {
        "prescription_uuid": (I, code), "patient_email": (I, mail), "drug": (S, tail(30, "drug")),
        "quantity": (K, whole(1, 5)),
        "physician": (Q, tail(20, "Dr ")), "birth_year": (Q, whole(1930, 2020)), "sex": (Q, pick("f", "m")),
        "county": (Q, tail(25, "county")),
    },
    "orders": {
        "order_id": (I, serial), "customer_id": (I, serial), "phone": (I, phone), "street_address": (I, street),
        "city": (Q, tail(60, "city")), "country": (Q, pick(*COUNTRIES)), "order_date": (Q, day(2022, 2024)),
        "items": (K, whole(1, 9)), "currency": (K, pick("EUR", "USD")), "price": (S, real(1, 300)),
    },
    "rides": {
        "ride_id": (I, code), "driver_license": (I, prefixed("DL")), "pickup_time": (Q, moment(2024)),
        "pickup_district": (Q, tail(30, "d")), "dropoff_district": (Q, tail(30, "d")),
        "duration_minutes": (K, whole(3, 60)),
        "fare_amount": (S, real(3, 80)),
    },
    "clinical-trial": {
        "subject_id": (I, prefixed("SUBJ")), "initials": (I, letters), "site": (Q, pick("x", "y", "z")),
        "age": (Q, whole(18, 80)), "ethnicity": (Q, pick("a", "b")), "height_cm": (Q, whole(150, 200)),
        "weight_kg": (Q, whole(45, 120)), "hiv": (S, pick("pos", "neg")),
        "outcome": (S, pick("better", "same", "worse")),
    },
    "crime": {
        "case_number": (I, prefixed("C-")), "offence": (S, tail(20, "o")), "date": (Q, day(2018, 2024)),
        "neighborhood": (Q, tail(40, "n")), "victim_age": (Q, whole(0, 95)), "victim_sex": (Q, pick("f", "m")),
        "convicted": (S, pick("yes", "no")),
    },
    "members": {
        "member_id": (I, serial), "username": (I, lambda c, r: f"user{r}"), "joined": (Q, day(2010, 2024)),
        "language": (Q, pick("de", "en", "fr")), "posts_count": (K, whole(0, 50)), "birthday": (Q, day(1950, 2010)),
        "orientation": (S, pick("a", "b", "c")),
    },
    "energy": {
        "meter_serial": (I, prefixed("M")), "household_size": (Q, whole(1, 6)), "zip_code": (Q, zips),
        "usage_kwh": (S, real(1, 40)), "tariff": (K, pick("day", "night")), "voltage": (K, pick(220, 230, 240)),
    },
    "housing": {
        "tenant_name": (I, named), "iban": (I, iban), "district": (Q, tail(20, "q")),
        "move_in_date": (Q, day(2000, 2024)), "children": (Q, whole(0, 4)), "monthly_income": (S, whole(8, 90)),
        "debt": (S, whole(0, 50)),
    },
    "school-grades": {
        "pupil": (Q, tail(30, "p")), "class": (Q, pick("1a", "1b", "2a")), "birth_month": (Q, pick(*range(1, 13))),
        "grade": (S, whole(1, 6)), "teacher_remarks": (I, free), "absent_days": (Q, whole(0, 20)),
    },
}  # fmt: skip


def table(name: str, rows: int = 300) -> pandas.DataFrame:
    """The rows of a table, always the same; every sixth column has missing cells."""
    chance = random.Random(name)
    made = {column: [cell(chance, row) for row in range(rows)] for column, (_, cell) in TABLES[name].items()}
    frame = pandas.DataFrame(made).astype(object)
    for number, column in enumerate(frame):
        if number % 6 == 4:
            frame.loc[[row for row in range(rows) if chance.random() < 0.04], column] = None
    return frame


def roles(name: str) -> dict[str, str]:
    """The role of each column."""
    return {column: role for column, (role, _) in TABLES[name].items()}
