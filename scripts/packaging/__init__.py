"""The packages of Tenon, and releases: what `scripts/package` and `scripts/release` do."""
