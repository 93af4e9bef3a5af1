"""What is read, and what a frame, a file or a hierarchy is read as."""
