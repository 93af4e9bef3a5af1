"""Guesses from the name of a column: its role in a job, and its use as an identifier of persons."""

from __future__ import annotations

import itertools
import re
import unicodedata
from typing import Literal

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
    "msisdn caller callee npi pid patid patientennummer kundennummer personalnummer matrikelnummer fallnr fallnummer "
    "comments note notes remark remarks description feedback message token cookie hash fingerprint useragent "
    "nombres nombrecompleto apellido apellidos correo telefono movil direccion domicilio dni nif pasaporte nom noms "
    "prenom prenoms courriel cognome nome cellulare indirizzo codicefiscale targa sobrenome telefone celular "
    "endereco cpf naam achternaam voornaam telefoon adres bsn kenteken imie nazwisko pesel efternamn fornamn "
    "personnummer etunimi sukunimi kennzeichen имя фамилия отчество фио телефон адрес паспорт снилс инн "
    "姓名 姓 名字 氏名 名前 电话 手机 手机号 地址 住所 邮箱 身份证 身份证号 이름 성명 전화번호 주소",
    "sensitive": "disease diagnosis diagnoses icd icd10 condition illness symptom treatment therapy procedure drug "
    "medication medicine prescription hiv result salary income wage pay earnings amount balance debt loan loanamount "
    "creditamount price cost charge charges revenue premium claim claims score grade gpa mark rating satisfaction "
    "religion orientation sexuality party vote voted politics opinion crime offence offense conviction convicted "
    "default defaulted risk bloodpressure cholesterol glucose bmi smoker smoking alcohol pregnant disability allergy "
    "diagnose medikament einkommen gehalt lohn befund "
    "outcome labresult lab viral viralload mood depression weightloss union answer wealth assets mortgage "
    "incwage inctot amnt annualinc loanstatus heartrate pulse systolic diastolic hemoglobin creatinine "
    "interestrate salaryclass incomeclass purchase spend spending usage consumption test severity stage",
    "quasi_identifiers": "geburtsdatum geb gebdatum geburtstag geburtsjahr alter geschlecht ort wohnort stadt land "
    "bundesland beruf familienstand postleitzahl "
    "sexe sexo sesso genere geslacht plec пол 性别 성별 edad idade leeftijd wiek возраст 年龄 나이 ville ciudad citta "
    "cidade miasto город 城市 codepostal codigopostal naissance datenaissance nacimiento fechanacimiento nascita "
    "datadinascita nascimento datanascimento geboortedatum dataurodzenia датарождения 出生日期 생년월일 profesion "
    "professione beroep zawod профессия 职业 "
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
    "statefip puma marst educ occ bpl hours hoursperweek tenure seniority military veteran immigrant residence",
    "keep": "count counts visits visit clicks click views pageviews quantity qty items number duration "
    "seconds minutes temperature humidity pressure voltage current battery signal rssi latency response responsetime "
    "bytes statuscode statusclass method flag error errors retries level speed steps channel version unit units "
    "currency wave weighting question frequency fnlwgt perwt wtss",
}
_OF: dict[str, Role] = {word: role for role, listed in _NAMES.items() for word in listed.split()}
#: Names with this role only as a whole: nombre is a name in Spanish, and a number in French (nombre_visites).
_WHOLE: dict[str, Role] = {"nombre": "identifiers"}
# Words in names of identifiers shared by several persons, or of no person; and words for persons.
_SHARED_NAMES = (
    "surname firstname lastname forename middlename familyname givenname maidenname nickname url website homepage ip "
    "ipaddress address street streetaddress addressline photo comment comments note notes remark remarks description "
    "npi feedback message useragent bic vorname nachname familienname strasse anschrift adresse bemerkung "
    "nombre nombres apellido apellidos direccion domicilio nom noms prenom prenoms cognome nome indirizzo sobrenome "
    "endereco naam achternaam voornaam adres imie nazwisko efternamn fornamn etunimi sukunimi имя фамилия отчество "
    "адрес 姓 名字 名前 地址 住所 주소"
)
_SHARED = frozenset(_SHARED_NAMES.split())
_PERSONS_NAMES = (
    "patient person customer client member employee student user subject participant insured beneficiary resident "
    "citizen donor borrower tenant pupil worker staff respondent ssn socialsecurity nin mrn medicalrecord passport "
    "patientid personid customerid memberid employeeid studentid userid insurancenumber versichertennummer pseudonym "
    "pid patid patientennummer kundennummer personalnummer matrikelnummer patientin kunde kundin mitarbeiter proband "
    "probandin teilnehmer versicherter schueler"
)
_PERSONS = frozenset(_PERSONS_NAMES.split())
_LEAST = {True: 1 / 50, None: 1 / 20}  # distinct values per row in a column of persons; True for the name of a number


def words(name: str) -> list[str]:
    """The words of a column's name, and each two adjacent words as one.

    >>> words("ZipCode_2")
    ['zip', 'code', '2', 'zipcode', 'code2']
    >>> words("Prénom")
    ['prenom']
    """
    split_name = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name)
    single = re.findall(r"[^\W\d_]+|\d+", _folded(split_name))
    return [*single, *(first + second for first, second in itertools.pairwise(single))]


def _folded(name: str) -> str:
    """A name in lower case, and without accents on Latin letters."""
    decomposed = unicodedata.normalize("NFKD", name.casefold())
    kept = (character for character in decomposed if not "\u0300" <= character <= "\u036f")
    return unicodedata.normalize("NFC", "".join(kept))


def role_by_name(name: str) -> Role | None:
    """Role of a column in a job, guessed from the words of its name; None if no word is known.

    A pair of words precedes a single word, the last word precedes the first. The role ``keep`` of a single word yields
    to another word for a quasi-identifier. A numbered question of a survey, such as ``q25``, has the role ``keep``.

    >>> role_by_name("zip code"), role_by_name("age at visit"), role_by_name("visits"), role_by_name("q25")
    ('quasi_identifiers', 'quasi_identifiers', 'keep', 'keep')
    """
    parts = words(name)
    single = [word for word in parts if _folded(name).count(word)]
    pairs = [word for word in parts if word not in single] + [word for word in single if len(word) > 6]
    whole = "".join(character for character in _folded(name) if character.isalnum())
    if whole in _WHOLE:
        return _WHOLE[whole]
    for word in (whole, *reversed(pairs), *reversed(single)):
        role = "keep" if re.fullmatch(r"q\d+", word) else _OF.get(word)
        if role is not None:
            doubted = (
                role == "keep"
                and word in single
                and any(_OF.get(neighbour) == "quasi_identifiers" for neighbour in single)
            )
            return "quasi_identifiers" if doubted else role
    return None


def ends_like_number(name: str) -> bool:
    """True if one of the last words of a name means an identifying number, such as id, no or key."""
    return bool({"id", "no", "nr", "key", "identifier", "number", "uid"} & set(words(name)[-3:]))


def is_number_of_things(name: str) -> bool:
    """True if a name ends like an identifying number, and no word makes it a quasi-identifier or sensitive."""
    return ends_like_number(name) and role_by_name(name) not in ("quasi_identifiers", "sensitive")


def may_tell_persons(name: str) -> bool:
    """True if a column of this name may identify persons; false if the name rules this out."""
    return tells_persons(name) is not False


def repeats_like_persons(name: str, present: int, distinct: int) -> bool:
    """True if a column looks like an identifier of persons, some of them with several rows.

    ``present`` is the number of rows with a value, ``distinct`` the number of distinct values. With few distinct values
    per row, or a single one, the name needs a word for a person: a clinic has a number, too.
    """
    tells = tells_persons(name)
    if tells is False or not 0 < distinct < present:
        return False
    return names_person(name) or (distinct > 1 and distinct >= _LEAST[tells] * present)


def tells_persons(name: str) -> bool | None:
    """True for an identifier of single persons, such as patient_id; None if the name of the column decides nothing.

    False for all other columns, also for identifiers shared by several persons, such as surname.
    """
    if "name" in words(name) and "username" not in words(name):
        return False if _SHARED & {*words(name)} else None
    if ends_like_number(name) or _PERSONS & {*words(name)}:
        return True
    role = role_by_name(name)
    return None if role is None else role == "identifiers" and not _SHARED & {*words(name)}


def names_person(name: str) -> bool:
    """True if a name has a word for a person, such as patient."""
    return bool(_PERSONS & {*words(name)})


def ends_with_person(name: str) -> bool:
    """True if the last word of a name means a person.

    >>> ends_with_person("test subject"), ends_with_person("patient_age")
    (True, False)
    """
    single = [word for word in words(name) if word in _folded(name)]
    return bool(single) and single[-1] in _PERSONS
