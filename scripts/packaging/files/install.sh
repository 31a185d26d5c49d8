#!/bin/sh
# Installs Tenon @VERSION@ into a folder, ~/.local unless another is given. Nothing outside of it is changed.
#
# The archive is downloaded with curl or wget, and its SHA-256 has to be the one in this file. Everything is in
# FOLDER/lib/tenon; FOLDER/bin/tenon, manual pages and completions are links to it. Everything is checked before anything is
# changed, and the link of the command is replaced last and at once, so that an installation that is interrupted leaves the
# old version or the new one.
set -eu

usage='usage: sh install.sh [--prefix FOLDER] [--from URL|FOLDER]
       sh install.sh --uninstall [--prefix FOLDER]

Installs Tenon @VERSION@ into FOLDER [default: ~/.local], or removes it.

  --prefix FOLDER     where bin, lib and share are
  --from URL|FOLDER   where the archive is [default: where it was published, or the folder of this file]
  --uninstall         remove what this installer installed'

fail() {
  printf 'error: %s\n' "$*" >&2
  exit 1
}

# The archive for this platform, and its checksum.
choose() {
  archive=
  case $(uname -s)-$(uname -m) in
@ARCHIVES@
  esac
  [ -n "$archive" ] || fail "there is no archive for $(uname -s) on $(uname -m); build Tenon with cargo instead"
}

sha256() {
  if command -v sha256sum > /dev/null; then
    sha256sum < "$1" | cut -d ' ' -f 1
  elif command -v shasum > /dev/null; then
    shasum -a 256 < "$1" | cut -d ' ' -f 1
  elif command -v openssl > /dev/null; then
    openssl dgst -sha256 -r < "$1" | cut -d ' ' -f 1
  else
    fail "there is no sha256sum, shasum or openssl to check the archive with; install one of them"
  fi
}

download() {
  case $from in
    *://*)
      if command -v curl > /dev/null; then
        curl --fail --silent --show-error --location --output "$2" "$from/$1"
      elif command -v wget > /dev/null; then
        wget --quiet --output-document="$2" "$from/$1"
      else
        fail "there is no curl or wget to download $from/$1 with; install one of them"
      fi
      ;;
    *) cp -- "$from/$1" "$2" ;;
  esac || fail "could not get $1 from $from"
}

# Refuses a file that is there and not a link of ours.
check() {
  if [ -e "$2" ] || [ -h "$2" ]; then
    is_ours "$2" || fail "$2 exists and is not a link of this installer; remove it, or choose another --prefix"
  fi
}

# link TARGET FILE: makes FILE a link, in place of an older one of ours.
link() {
  mkdir -p -- "${2%/*}"
  ln -s -- "$1" "$2.part-$$"
  mv -f -- "$2.part-$$" "$2"
}

is_ours() {
  [ -h "$1" ] || return 1
  case $(readlink -- "$1") in
    "$place"/*) return 0 ;;
    *) return 1 ;;
  esac
}

# Calls a function with the path of each file below share, and with where its link is.
each_shared() {
  (cd "$2" && find share -type f) | while IFS= read -r file; do
    "$1" "$2/$file" "$prefix/$file"
  done
}

# Removes links whose file is gone, and the folders that are empty then.
tidy() {
  for folder in man/man1 bash-completion/completions zsh/site-functions fish/vendor_completions.d powershell/completions; do
    for file in "$prefix/share/$folder"/*tenon*; do
      if is_ours "$file" && [ ! -e "$file" ]; then
        rm -f -- "$file"
      fi
    done
    (cd "$prefix/share" 2> /dev/null && rmdir -p "$folder" 2> /dev/null) || true
  done
  rmdir "$prefix/share" "$prefix/lib" "$prefix/bin" 2> /dev/null || true
}

# Removes our folder, and those above it that were made for it and are empty.
remove() {
  made=$(cat "$place/.installer" 2> /dev/null) || made=
  rm -rf -- "$place"
  tidy
  printf '%s\n' "$made" | while IFS= read -r folder; do
    [ -z "$folder" ] || rmdir -- "$folder" 2> /dev/null || true
  done
}

# Creates the folder of the installation. $made lists the folders that this took, the innermost first.
make_prefix() {
  made=
  folder=$prefix
  while [ -n "$folder" ] && [ ! -d "$folder" ]; do
    made="$made$folder
"
    folder=${folder%/*}
  done
  mkdir -p -- "$prefix" || fail "$prefix cannot be written; choose another folder with --prefix"
}

# One spelling for one folder, because links are compared with it.
settle() {
  prefix=$(cd -- "$prefix" && pwd -P) || fail "$prefix cannot be entered"
  place=$prefix/lib/tenon
  if [ -h "$place" ]; then
    fail "$place is a link; remove it, or choose another --prefix"
  fi
}

# Only one installer may work in a folder. The lock is a link, which is created at once and names its process.
lock() {
  lock=$place/.lock
  if ! ln -s -- "process $$" "$lock" 2> /dev/null; then
    holder=$(readlink -- "$lock") || fail "$place cannot be written; choose another folder with --prefix"
    if kill -0 "${holder#process }" 2> /dev/null; then
      fail "another installer is at work in $place ($holder); wait until it has ended, or remove $lock if it is not one"
    fi
    # It was killed.
    rm -f -- "$lock"
    ln -s -- "process $$" "$lock" || fail "another installer is at work in $place; wait until it has ended"
  fi
}

uninstall() {
  [ -d "$prefix" ] || fail "there is no folder $prefix"
  settle
  [ -e "$place/.installer" ] || fail "$prefix has no Tenon of this installer"
  lock
  trap 'rm -f -- "$lock"' EXIT
  if is_ours "$prefix/bin/tenon"; then
    rm -f -- "$prefix/bin/tenon"
  fi
  remove
  echo "uninstalled Tenon from $prefix"
}

# What was begun is removed, and everything that was made for an installation that did not come about.
clean() {
  rm -rf -- "$part"
  if is_ours "$prefix/bin/tenon"; then
    rm -f -- "$lock"
  else
    remove
  fi
}

install() {
  choose
  make_prefix
  settle
  check command "$prefix/bin/tenon"
  if [ -e "$place" ] && [ ! -e "$place/.installer" ]; then
    fail "$place exists and was not made by this installer; remove it, or choose another --prefix"
  fi
  mkdir -p -- "$place" && { [ -e "$place/.installer" ] || printf '%s' "$made" > "$place/.installer"; } ||
    fail "$prefix cannot be written; choose another folder with --prefix"
  lock
  part=$place/.part-$$
  trap clean EXIT
  trap 'exit 130' INT TERM HUP
  rm -rf -- "$place"/.part-*
  mkdir -- "$part"
  download "$archive" "$part/archive"
  found=$(sha256 "$part/archive")
  if [ "$found" != "$checksum" ]; then
    fail "$archive from $from has the SHA-256 $found instead of $checksum" \
      "because it is damaged or of another version; nothing was installed"
  fi
  mkdir -- "$part/files"
  tar -xzf "$part/archive" -C "$part/files" || fail "$archive could not be unpacked"
  each_shared check "$part/files/${archive%.tar.gz}"
  # Under a name that no installation has, so that the one in use is not touched.
  new=$place/@VERSION@-$$
  rm -rf -- "$new"
  mv -- "$part/files/${archive%.tar.gz}" "$new"
  each_shared link "$new"
  link "$new/bin/tenon" "$prefix/bin/tenon"
  for old in "$place"/*; do
    [ "$old" = "$new" ] || rm -rf -- "$old"
  done
  tidy
  echo "installed Tenon @VERSION@: $prefix/bin/tenon"
  case :$PATH: in
    *":$prefix/bin:"*) ;;
    *) echo "$prefix/bin is not on your PATH; add it to use the command" ;;
  esac
}

main() {
  prefix=
  from=@URL@
  action=install
  while [ $# -gt 0 ]; do
    case $1 in
      --prefix | --from)
        [ -n "${2-}" ] || fail "$1 needs a value"
        case $1 in --prefix) prefix=$2 ;; --from) from=${2%/} ;; esac
        shift
        ;;
      --uninstall) action=uninstall ;;
      -h | --help)
        printf '%s\n' "$usage"
        exit
        ;;
      *) fail "unknown argument $1; there are --prefix FOLDER, --from URL, --uninstall and --help" ;;
    esac
    shift
  done
  if [ -z "$prefix" ]; then
    [ -n "${HOME-}" ] || fail "HOME is not set; choose a folder with --prefix"
    prefix=$HOME/.local
  fi
  case $prefix in
    /*) ;;
    *) prefix=$PWD/$prefix ;;
  esac
  # The archive may lie beside this file.
  if [ -z "$from" ]; then
    case $0 in */*) from=${0%/*} ;; *) from=. ;; esac
  fi
  "$action"
}

# The last line: a file that was downloaded in part does nothing.
main "$@"
