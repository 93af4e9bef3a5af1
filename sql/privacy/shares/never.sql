-- No value group has such a share.
false
