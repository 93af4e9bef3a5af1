"""What a column is: an identifier, a quasi-identifier, sensitive, or harmless; with the evidence for it.

In doubt a column is the more dangerous of two things: whoever reads the job can say otherwise. What nearly every row
has a value of its own of is released as it is under no name.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from starcloak.commands.profile.columns import Profile
from starcloak.insight.risk.safe_harbor import words

Role = Literal["identifiers", "quasi_identifiers", "sensitive", "keep"]
ROLES: tuple[Role, ...] = ("identifiers", "quasi_identifiers", "sensitive", "keep")

_NAMES: dict[Role, str] = {
    "identifiers": "name surname firstname lastname forename middlename familyname givenname fullname maidenname "
    "nickname email mail phone telephone mobile cellphone fax ssn socialsecurity nin passport license licence iban "
    "bic account accountno accountnumber creditcard cardnumber card mrn medicalrecord insurancenumber policyno "
    "policynumber url website homepage ip ipaddress mac macaddress imei imsi serial serialno serialnumber uuid guid "
    "username login userid customerid patientid personid memberid employeeid studentid sessionid deviceid "
    "transactionid orderid loanid vin plate licenseplate address street streetaddress addressline photo comment "
    "vorname nachname familienname telefon handy strasse anschrift adresse bemerkung versichertennummer kontonummer "
    "comments note notes remark remarks description feedback message token cookie hash fingerprint useragent",
    "sensitive": "disease diagnosis diagnoses icd icd10 condition illness symptom treatment therapy procedure drug "
    "medication medicine prescription hiv result salary income wage pay earnings amount balance debt loan loanamount "
    "creditamount price cost charge charges revenue premium claim claims score grade gpa mark rating satisfaction "
    "religion orientation sexuality party vote voted politics opinion crime offence offense conviction convicted "
    "default defaulted risk bloodpressure cholesterol glucose bmi smoker smoking alcohol pregnant disability allergy "
    "diagnose medikament einkommen gehalt lohn befund "
    "outcome labresult lab viral viralload mood depression weightloss union answer wealth assets mortgage "
    "interestrate salaryclass incomeclass purchase spend spending usage consumption test severity stage",
    "quasi_identifiers": "geburtsdatum geburtstag geburtsjahr alter geschlecht ort wohnort stadt land "
    "bundesland beruf familienstand "
    "age sex gender birth birthdate birthday dob birthyear yearofbirth born zip zipcode postcode "
    "postal postalcode plz city town village county state province region country nationality nativecountry "
    "citizenship birthplace place location district area neighborhood neighbourhood race ethnicity ethnic marital "
    "maritalstatus civilstatus relationship household householdsize children dependents education educationnum degree "
    "school university major occupation job jobtitle title profession workclass employer company department division "
    "team position industry sector language languages admission admissiondate discharge dischargedate date day month "
    "year hired hiredate hiringdate joined signup signupdate registered enrollment enrolled visitdate latitude "
    "longitude lat lon lng hospital ward clinic doctor physician branch store height weight eyecolor haircolor "
    "bloodtype timestamp datetime time created start end "
    "model brand browser os carrier housing car vehicle program course class "
    "hours hoursperweek tenure seniority military veteran immigrant residence",
    "keep": "count counts visits visit clicks click views pageviews quantity qty items number duration "
    "seconds minutes temperature humidity pressure voltage current battery signal rssi latency response responsetime "
    "bytes statuscode statusclass method flag error errors retries level speed steps channel version unit units "
    "currency wave weighting q1 q2 q3 q4 q5 q6 q7 q8 q9 question frequency fnlwgt",
}
_OF: dict[str, Role] = {word: role for role, listed in _NAMES.items() for word in listed.split()}
# Of names of identifiers those that several persons share, or that are of no person; and of persons.
_SHARED_NAMES = (
    "surname firstname lastname forename middlename familyname givenname maidenname nickname url website homepage ip "
    "ipaddress address street streetaddress addressline photo comment comments note notes remark remarks description "
    "feedback message useragent bic vorname nachname familienname strasse anschrift adresse bemerkung"
)
_SHARED = frozenset(_SHARED_NAMES.split())
_PERSONS_NAMES = (
    "patient person customer client member employee student user subject participant insured beneficiary resident "
    "citizen donor borrower tenant pupil worker staff respondent ssn socialsecurity nin mrn medicalrecord passport "
    "patientid personid customerid memberid employeeid studentid userid insurancenumber versichertennummer"
)
_PERSONS = frozenset(_PERSONS_NAMES.split())
_LEAST = {True: 1 / 50, None: 1 / 20}  # values by rows of a column of persons, by whether its name is that of a number
_FEWEST_PERSONS = 50  # of a table whose classes may count them
_SHORT_YEARS = (
    "; like dates where years have two digits, of which the century would be a guess: where 68 is 2068 and 69 is 1969, "
    "say {dates: [month, year], formats: [%d.%m.%y]}, with the formats of the others"
)
_ROWS_OF_ONE = 10  # rows of one thing, such as a loan, at most on average, where its number tells whose they are
_FREE_TEXT = 4  # words of a value, on average


@dataclass(frozen=True)
class Decided:
    """The role of a column, and why."""

    profile: Profile
    role: Role
    evidence: str


def decide(profile: Profile) -> Decided:
    """What a column is."""

    def is_(role: Role, evidence: str) -> Decided:
        return Decided(
            profile, role, evidence + (_SHORT_YEARS if profile.have_short_years and not profile.is_date else "")
        )

    if not profile.column.is_groupable:
        return is_("identifiers", f"values of type {profile.column.kind}, which has no hierarchy")
    if profile.found <= 1:
        return is_("keep", "one value or none" if profile.found else "no values")
    for pattern, share in profile.patterns.items():
        if share and share >= 0.8:
            return is_("identifiers", f"values look like {pattern}")
    named = _role_by_name(profile.name)
    measure = profile.is_number and not profile.are_whole
    if named == "identifiers" or (_is_id(profile.name) and not measure):
        return is_("identifiers", "by its name")
    if profile.is_nearly_unique and not profile.is_date:
        if not (profile.is_number and (measure or named in ("quasi_identifiers", "sensitive"))):
            return is_("identifiers", "nearly every row has a value of its own")
        if named != "quasi_identifiers":
            return is_("quasi_identifiers", "numbers, and nearly every row has one of its own")
    if named == "sensitive" and _is_rare_code(profile):
        return is_("identifiers", f"a code that only {profile.present / profile.found:.1f} rows share on average")
    if profile.words >= _FREE_TEXT and profile.found > 20 and profile.distinction > 0.3:
        return is_("identifiers", "free text")
    if named is not None and not (profile.is_nearly_unique and named in ("sensitive", "keep")):
        return is_(named, "by its name")
    if profile.diagnoses >= 0.8:
        return is_("sensitive", "values look like diagnoses (ICD-10)")
    if profile.is_date:
        return is_("quasi_identifiers", "dates")
    if profile.is_number:
        return is_("quasi_identifiers", f"numbers, {profile.found:,} different ones")
    return is_("quasi_identifiers", f"{profile.found:,} values")


def _role_by_name(name: str) -> Role | None:
    """The role by the words of a name: two that belong together tell more than one, the last more than the first."""
    found = words(name)
    single = [word for word in found if name.casefold().count(word)]
    pairs = [word for word in found if word not in single] + [word for word in single if len(word) > 6]
    whole = "".join(character for character in name.casefold() if character.isalnum())
    for word in (whole, *reversed(pairs), *reversed(single)):
        if word in _OF:
            return _OF[word]
    return None


def _ends_like_id(name: str) -> bool:
    """Whether a name ends like that of a number that things go by."""
    return bool({"id", "no", "nr", "key", "identifier", "number", "uid"} & set(words(name)[-3:]))


def _is_id(name: str) -> bool:
    """Whether a name is that of a number that things go by, and not of what is known of them."""
    return _ends_like_id(name) and _role_by_name(name) not in ("quasi_identifiers", "sensitive")


def may_tell_persons(name: str) -> bool:
    """Whether the values of an identifier of this name may tell persons apart."""
    return _tells_persons(name) is not False


def repeats_like_persons(name: str, present: int, found: int) -> bool:
    """Whether an identifier with so many values in so many rows tells persons of whom some have several rows.

    What a few values share is told apart by names alone: a clinic has a number, too.
    """
    tells = _tells_persons(name)
    if tells is False or not 1 < found < present:
        return False
    return bool(_PERSONS & {*words(name)}) or found >= _LEAST[tells] * present


def person_of(decided: Sequence[Decided]) -> Decided | None:
    """The identifier that tells whose a row is, where persons seem to have several: the one with the fewest values,
    those before others that go by the name of a person.
    """
    telling = [
        each
        for each in decided
        for its in [each.profile]
        if each.role == "identifiers" and its.column.is_groupable and not its.column.is_float and not its.is_missing
        if _tells_persons(its.name) and its.found >= _FEWEST_PERSONS
        if repeats_like_persons(its.name, its.present, its.found)
    ]
    return min(telling, key=lambda each: (not _PERSONS & {*words(each.profile.name)}, each.profile.found), default=None)


def _tells_persons(name: str) -> bool | None:
    """Whether a name is that of what persons go by; None for one that tells nothing, or for names, which some share."""
    if "name" in words(name) and "username" not in words(name):
        return False if _SHARED & {*words(name)} else None
    if _ends_like_id(name) or _PERSONS & {*words(name)}:
        return True
    role = _role_by_name(name)
    return None if role is None else role == "identifiers" and not _SHARED & {*words(name)}


def _is_rare_code(profile: Profile) -> bool:
    """Whether values that things go by repeat so rarely that they tell whose the rows are, such as a loan's number."""
    return _ends_like_id(profile.name) and profile.found >= 20 and profile.distinction >= 1 / _ROWS_OF_ONE
