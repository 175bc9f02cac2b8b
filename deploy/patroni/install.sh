#!/bin/sh
# Installs Patroni, etcd, HAProxy and PostgreSQL from Debian 12. Run it as root. Starts nothing, and creates no database.
set -eu
[ "$(id -u)" -eq 0 ] || { echo "install.sh: run it as root" >&2; exit 2; }
export DEBIAN_FRONTEND=noninteractive
# Read when postgresql-15 is installed: Patroni creates the database itself.
mkdir -p /etc/postgresql-common
echo "create_main_cluster = false" > /etc/postgresql-common/createcluster.conf
# A policy of 101 keeps packages from starting their services.
policy=/usr/sbin/policy-rc.d
[ -e "$policy" ] || {
  printf '#!/bin/sh\nexit 101\n' > "$policy"
  chmod 755 "$policy"
  trap 'rm -f "$policy"' EXIT
}
apt-get update
apt-get install --yes --no-install-recommends \
  patroni etcd-server etcd-client haproxy pgbouncer postgresql-15 iproute2 util-linux
