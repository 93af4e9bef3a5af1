"""The experiments of the papers on local recoding (Li, Wong, Fu, Pei 2006 and 2008), goals of speed, and growth."""
