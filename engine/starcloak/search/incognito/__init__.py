"""Incognito, with its variants (LeFevre, DeWitt, Ramakrishnan 2005, section 3)."""
