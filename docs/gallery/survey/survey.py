"""Writes survey.csv: 3,000 made-up respondents, their weights and 25 answers; the same rows every time."""

import numpy as np
import pandas as pd

ROWS = 3_000
DONT_KNOW, REFUSED = 98, 99
REGIONS = ["North", "North-East", "East", "South-East", "South", "South-West", "West", "Centre"]

chance = np.random.default_rng(25)
age = np.clip(chance.gamma(7, 7, ROWS).round(), 18, 94).astype(int)
education = np.clip(chance.normal(4.2 - age / 60, 1.1, ROWS).round(), 1, 6).astype(int)
region = chance.choice(REGIONS, ROWS, p=[0.05, 0.08, 0.1, 0.14, 0.25, 0.13, 0.15, 0.1])
household = np.clip(chance.poisson(np.where(age > 65, 0.7, 1.5), ROWS) + 1, 1, 9)
frame = pd.DataFrame({"respondent": np.arange(70_001, 70_001 + ROWS), "age": age, "sex": chance.choice([1, 2], ROWS)})
frame["region"], frame["education"], frame["household"] = region, education, household
frame["weight"] = np.round(np.where(age < 35, 1.4, 0.85) * chance.choice([0.8, 1.0, 1.3], ROWS), 2)
# Two opinions lie behind the answers, so that questions agree with each other, as in a real survey.
opinion = chance.normal(size=(ROWS, 2)) + np.c_[(age - 48) / 30, (education - 3) / 2]
for question in range(1, 26):
    leaning = opinion[:, question % 2] * chance.uniform(0.3, 1.0) + chance.normal(0, 0.9, ROWS)
    answer = np.clip((3 + leaning).round(), 1, 5).astype(int)
    draw = chance.random(ROWS)
    frame[f"q{question}"] = np.select([draw < 0.03, draw < 0.045], [DONT_KNOW, REFUSED], answer)
frame.loc[chance.random(ROWS) < 0.02, "age"] = 999
frame.loc[chance.random(ROWS) < 0.01, "education"] = REFUSED
frame.loc[chance.integers(0, ROWS, 4), "q7"] = 44  # slips of the keyboard
frame.to_csv("survey.csv", index=False)
