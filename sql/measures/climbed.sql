-- The share of the hierarchy's height that a level has climbed.
level / top
