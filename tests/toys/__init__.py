"""A toy of each kind, each in one file that registers itself: the shortest example of each kind."""
