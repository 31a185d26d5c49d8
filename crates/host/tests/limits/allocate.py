"""Takes as many MiB of memory as its argument says, all at once or in parts of 8 MiB."""

import sys

size = int(sys.argv[1]) << 20
if sys.argv[2] == "whole":
    memory = bytearray(size)
else:
    memory = [b"x" * (8 << 20) for _ in range(size >> 23)]
print("done")
