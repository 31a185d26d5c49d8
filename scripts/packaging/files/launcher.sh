#!/bin/sh
# Starts the program of the package for this platform, in place of this shell: no process stays in between, and signals
# and exit codes are the program's own.
self=$0
if [ -h "$self" ]; then
  self=$(readlink -f -- "$self")
fi
package=${self%/*}/..
case $(uname -sm) in
  'Linux x86_64') platform=linux-x64 ;;
  'Linux aarch64') platform=linux-arm64 ;;
  'Darwin x86_64') platform=darwin-x64 ;;
  'Darwin arm64') platform=darwin-arm64 ;;
  *) platform=unknown ;;
esac
# npm installs the platform's package inside this one or beside it.
for folder in "$package/node_modules" "$package/.."; do
  program=$folder/tenon-cli-$platform/bin/tenon
  if [ -x "$program" ]; then
    exec "$program" "$@"
  fi
done
echo "error: the package tenon-cli-$platform is not installed" \
  "because there is none for this platform, or because optional dependencies were left out" >&2
exit 127
