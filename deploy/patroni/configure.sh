#!/bin/sh
# configure.sh MEMBER DIRECTORY: fills in the templates for one machine. MEMBER is 1, 2 or 3. Writes etcd.env,
# patroni.yml, haproxy.cfg and database.sql into DIRECTORY, readable by its owner only: they contain passwords.
set -eu
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)

fail() {
  echo "configure.sh: $1" >&2
  exit 2
}

[ $# -eq 2 ] || fail "usage: configure.sh MEMBER DIRECTORY"
member=$1
directory=$2
. "$here/cluster.env"

case $member in
  1) ADDRESS=$ADDRESS_1 ;;
  2) ADDRESS=$ADDRESS_2 ;;
  3) ADDRESS=$ADDRESS_3 ;;
  *) fail "MEMBER must be 1, 2 or 3, not \"$member\"" ;;
esac
for name in SUPERUSER_PASSWORD REPLICATION_PASSWORD RESTAPI_PASSWORD TRUNKLINE_PASSWORD; do
  eval "value=\$$name"
  case $value in
    "") fail "$name is not set" ;;
    *[!A-Za-z0-9]*) fail "$name may contain letters and digits only" ;;
  esac
done
case $SYNCHRONOUS in
  true | false) ;;
  *) fail "SYNCHRONOUS must be true or false, not \"$SYNCHRONOUS\"" ;;
esac
NAME=pg$member

umask 077
for template in etcd.env patroni.yml haproxy.cfg database.sql; do
  # An earlier file would keep its owner and its mode.
  rm -f "$directory/$template"
  # A template contains no "$" and no "`" except in its variables. An unknown variable ends the script.
  eval "cat <<END_OF_TEMPLATE
$(cat "$here/$template")
END_OF_TEMPLATE" > "$directory/$template"
done
