"""Tables with the columns of public schemas, made up; an expert's job for each is in the folder ``experts``.

Roles are those of :mod:`tests.labelled`; a column that has none there, ``X``, may be anything.
"""

from __future__ import annotations

import random
from pathlib import Path

import pandas

from tests.labelled import (
    CODES,
    COUNTRIES,
    FIRST,
    JOBS,
    LAST,
    STATES,
    Cell,
    I,
    K,
    Q,
    S,
    day,
    free,
    mail,
    moment,
    named,
    pick,
    prefixed,
    real,
    serial,
    street,
    tail,
    thousands,
    whole,
    zips,
)  # fmt: skip

X = "anything"
EXPERTS = Path(__file__).parent / "experts"
_ROWS = 400


def shared(prefix: str, rows: int) -> Cell:
    """A number that so many rows have."""
    return lambda _, row: f"{prefix}{100_000 + row // rows}"


PUBLIC: dict[str, dict[str, tuple[str, Cell]]] = {
    "mimic-admissions": {
        "subject_id": (I, shared("", 3)), "hadm_id": (I, serial), "admittime": (Q, moment(2130)),
        "admission_type": (X, pick("EMERGENCY", "ELECTIVE", "URGENT")),
        "admission_location": (X, pick("EMERGENCY ROOM", "CLINIC REFERRAL", "TRANSFER")),
        "insurance": (X, pick("Medicare", "Private", "Medicaid")), "language": (Q, pick("ENGL", "SPAN", "RUSS")),
        "marital_status": (Q, pick("MARRIED", "SINGLE", "WIDOWED")), "ethnicity": (Q, pick("WHITE", "BLACK", "ASIAN")),
        "diagnosis": (S, pick("SEPSIS", "PNEUMONIA", "STROKE", "FALL", "CHEST PAIN")),
        "hospital_expire_flag": (X, pick(0, 0, 0, 1)),
    },
    "omop-person": {
        "person_id": (I, serial), "gender_concept_id": (Q, pick(8507, 8532)), "year_of_birth": (Q, whole(1930, 2010)),
        "month_of_birth": (Q, whole(1, 12)), "race_concept_id": (Q, pick(8527, 8516, 8515)),
        "ethnicity_concept_id": (Q, pick(38003563, 38003564)), "person_source_value": (I, prefixed("src-")),
        "location_id": (Q, pick(*range(101, 113))),
    },
    "omop-visit-occurrence": {
        "visit_occurrence_id": (I, serial), "person_id": (I, shared("", 4)), "visit_concept_id": (X, pick(9201, 9202)),
        "visit_start_date": (Q, day(2018, 2022)), "visit_type_concept_id": (X, pick(44818517, 44818518)),
        "provider_id": (X, pick(*range(40, 60))), "care_site_id": (X, pick(7, 8, 9)),
        "admitting_source_value": (X, pick("home", "transfer")),
    },
    "census-microdata": {
        "serial": (I, serial), "statefip": (Q, pick(*range(1, 12))), "age": (Q, whole(0, 95)), "sex": (Q, pick(1, 2)),
        "race": (Q, pick(1, 2, 3, 4)), "marst": (Q, pick(1, 2, 3, 4, 5, 6)), "educ": (Q, whole(0, 11)),
        "occ": (Q, tail(60, "o")), "incwage": (S, thousands), "perwt": (K, whole(50, 90)),
    },
    "loan-book": {
        "loan_id": (I, serial), "member_id": (I, serial), "emp_title": (Q, pick(*JOBS)),
        "home_ownership": (Q, pick("RENT", "OWN", "MORTGAGE")), "annual_inc": (S, thousands),
        "zip_code": (Q, zips), "issue_date": (Q, day(2012, 2015)), "loan_amnt": (S, thousands),
        "int_rate": (S, lambda chance, _: chance.randint(50, 200) / 10), "loan_status": (X, pick("Paid", "Default")),
        "purpose": (X, pick("car", "house", "debt")), "desc": (I, free),
    },
    "school-register": {
        "upn": (I, prefixed("H8012001")), "surname": (I, pick(*LAST)), "forename": (I, pick(*FIRST)),
        "dob": (Q, day(2008, 2014)), "gender": (Q, pick("F", "M")), "postcode": (Q, zips),
        "ethnicity": (Q, pick("WBRI", "AIND", "BCRB", "MOTH")), "first_language": (Q, pick("ENG", "PAN", "POL")),
        "year_group": (Q, whole(1, 6)), "sen_status": (X, pick("N", "N", "N", "K", "E")),
        "attendance_pct": (X, whole(80, 100)),
    },
    "hr-export": {
        "employee_id": (I, prefixed("E")), "full_name": (I, named), "work_email": (I, mail),
        "birth_date": (Q, day(1960, 2002)), "gender": (Q, pick("female", "male", "diverse")),
        "job_title": (Q, pick(*JOBS)), "department": (Q, pick("IT", "HR", "Ops", "Sales")),
        "office_location": (Q, pick("Berlin", "Wien", "Bern")), "hire_date": (Q, day(2000, 2024)),
        "salary": (S, thousands), "performance_rating": (S, whole(1, 5)), "sick_days": (X, whole(0, 25)),
    },
    "call-records": {
        "caller_msisdn": (I, shared("4917", 5)), "callee_msisdn": (I, lambda c, _: f"4916{c.randint(1, 200):08d}"),
        "imei": (I, shared("35693803", 5)), "call_start": (Q, moment(2023)), "duration_seconds": (K, whole(1, 900)),
        "cell_latitude": (Q, lambda c, _: 52 + c.randint(1, 30) / 100), "call_type": (X, pick("voice", "sms", "data")),
        "cell_longitude": (Q, lambda c, _: 13 + c.randint(1, 30) / 100), "plan": (X, pick("basic", "flat")),
    },
    "insurance-claims-file": {
        "desynpuf_id": (I, shared("B", 4)), "clm_id": (I, serial), "clm_from_dt": (Q, day(2008, 2010)),
        "bene_birth_dt": (Q, day(1920, 1950)), "bene_sex_ident_cd": (Q, pick(1, 2)), "bene_race_cd": (Q, pick(1, 2, 3)),
        "sp_state_code": (Q, pick(*STATES)), "icd9_dgns_cd_1": (S, pick(*CODES)), "clm_pmt_amt": (X, real(0, 9000, 0)),
        "at_physn_npi": (I, lambda c, _: f"1{c.randint(1, 60):09d}"),
    },
    "voter-roll": {
        "voter_reg_num": (I, serial), "last_name": (I, pick(*LAST)), "first_name": (I, pick(*FIRST)),
        "res_street_address": (I, street), "zip_code": (Q, zips), "birth_year": (Q, whole(1930, 2005)),
        "gender_code": (Q, pick("F", "M", "U")), "race_code": (Q, pick("W", "B", "A")),
        "party_cd": (S, pick("DEM", "REP", "UNA")), "registr_dt": (Q, day(1990, 2023)),
        "voter_status_desc": (X, pick("ACTIVE", "INACTIVE")),
    },
    "social-survey": {
        "respondent_id": (I, serial), "age": (Q, whole(18, 89)), "sex": (Q, pick("male", "female")),
        "race": (Q, pick("white", "black", "other")), "degree": (Q, pick("hs", "ba", "graduate")),
        "marital": (Q, pick("married", "never", "divorced")), "region": (Q, pick("n", "e", "s", "w")),
        "birth_country": (Q, pick(*COUNTRIES)), "income": (S, thousands), "religion": (S, pick("a", "b", "none")),
        "happy": (X, pick("very", "pretty", "not too")), "wtss": (K, lambda c, _: c.randint(5, 30) / 10),
        "open_answer": (I, free),
    },
}  # fmt: skip


def table(name: str) -> pandas.DataFrame:
    """The rows of a table, always the same."""
    chance = random.Random(name)
    made = {column: [cell(chance, row) for row in range(_ROWS)] for column, (_, cell) in PUBLIC[name].items()}
    return pandas.DataFrame(made).astype(object)


def roles(name: str) -> dict[str, str]:
    """The role of each column."""
    return {column: role for column, (role, _) in PUBLIC[name].items()}
