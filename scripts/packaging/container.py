"""The recipe of a container image. It takes the static archives that lie beside it."""

from . import archive
from .kinds import Job
from .product import version

# TARGETARCH is not declared: the builder sets it, and a declaration, even without a default, would take the place of its value.
HEADER = """\
# The image of Tenon {version}. Build it in the folder of this file, with the archives beside it:
#
#   podman build --file Containerfile --tag tenon .
#
# On the empty base there is Tenon and nothing else: no shell, no programs for plugins, no certificates for HTTPS. For
# those, choose another base, or copy /opt/tenon into an image of your own:
#
#   podman build --file Containerfile --build-arg BASE=docker.io/library/debian:stable-slim --tag tenon .
#
# ARCH (amd64, arm64) is that of the image: --platform says which, or --build-arg ARCH=arm64 to a builder that does not set
# TARGETARCH by itself.
ARG BASE=scratch
ARG ARCH=${{TARGETARCH}}
"""

FOOTER = """\
FROM archive-${ARCH} AS files

FROM ${BASE}
COPY --from=files /opt /opt
ENV PATH=/opt/tenon/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
ENTRYPOINT ["/opt/tenon/bin/tenon"]
"""


def stage(job: Job) -> list[str]:
    """A stage for each static archive, unpacked below /opt."""
    static = [build.target for build in job.builds if build.target.container]
    return [
        f"FROM scratch AS unpacked-{target.container}\n"
        f"ADD {archive.file_name(target)} /\n"
        f"FROM scratch AS archive-{target.container}\n"
        f"COPY --from=unpacked-{target.container} /{archive.folder(target)} /opt/tenon\n"
        for target in static
    ]


def write(job: Job) -> None:
    if not any(build.target.container for build in job.builds):
        return
    header = HEADER.format(version=version())
    job.write("Containerfile", "\n".join([header, *stage(job), FOOTER]).encode())
