"""Why a release is as it is: what blocks a lower level, and what a weaker requirement would bring.

Reading order: ``explain``, ``result``, ``text``.
"""
