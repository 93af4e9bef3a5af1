"""HIPAA's Safe Harbor (45 CFR 164.514(b)(2)): identifiers recognized by the names of columns."""

from __future__ import annotations

from collections.abc import Iterable

from starcloak.base.column_names import words

_WORDS = {
    "names": "name surname firstname lastname forename familyname givenname fullname maidenname initials",
    "geographic subdivisions smaller than a state": "address street city town village county precinct zip zipcode "
    "postcode postal plz geocode latitude longitude lat lon lng geo gps district parish",
    "elements of dates but the year, and ages over 89": "date birth birthdate birthday dob born admission admitted "
    "discharge discharged death died dod age month day timestamp datetime",
    "telephone numbers": "phone telephone mobile cell cellphone tel",
    "fax numbers": "fax",
    "email addresses": "email mail",
    "social security numbers": "ssn socialsecurity nin nino",
    "medical record numbers": "mrn medicalrecord patientid patientno chartno",
    "health plan beneficiary numbers": "beneficiary insurance member memberid policy healthplan",
    "account numbers": "account iban accountno accountnumber",
    "certificate or license numbers": "license licence certificate passport",
    "vehicle identifiers": "vin plate vehicle licenseplate",
    "device identifiers": "device serial imei imsi mac udid",
    "web addresses": "url uri website homepage",
    "internet addresses": "ip ipaddress ipv4 ipv6",
    "biometric identifiers": "fingerprint biometric voiceprint retina iris",
    "full-face photographs": "photo photograph picture portrait image",
    "any other unique number or code": "id uuid guid uid code identifier key rowid userid username login",
}
_OF = {word: identifier for identifier, words in _WORDS.items() for word in words.split()}


def identifier(name: str) -> str | None:
    """Safe Harbor identifier suggested by the name of a column; None if the name suggests no identifier.

    >>> identifier("date_of_birth"), identifier("salary")
    ('elements of dates but the year, and ages over 89', None)
    """
    parts = words(name)
    return next((of for word, of in _OF.items() if word in parts), None)


def listed_names(names: Iterable[str]) -> list[tuple[str, str]]:
    """Columns named after a Safe Harbor identifier: pairs of the column's name and the identifier."""
    return [(name, listed) for name in names if (listed := identifier(name)) is not None]
