"""One release, from an opened source to its manifest: propose, verify, publish, or leave what is unchanged."""
