"""Every pair of features: jobs drawn until each pair was judged, by an oracle that knows whose every row is."""
