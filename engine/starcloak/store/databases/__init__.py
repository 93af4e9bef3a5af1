"""Where rows are: databases that they never leave, and what they are called by."""
