"""Tests by room; what several rooms need is here."""
