"""Tries to get rid of its limits, and prints what succeeded."""

import glob
import resource

UNLIMITED = (resource.RLIM_INFINITY, resource.RLIM_INFINITY)

if resource.getrlimit(resource.RLIMIT_DATA) != UNLIMITED:
    try:
        resource.setrlimit(resource.RLIMIT_DATA, UNLIMITED)
        print("RLIMIT_DATA")
    except (ValueError, OSError):
        pass
# Opening is enough to know: writing would disturb others where it is allowed.
for path in glob.glob("/sys/fs/cgroup/**/cgroup.procs", recursive=True):
    try:
        open(path, "a").close()
        print(path)
    except OSError:
        pass
print("tried")
