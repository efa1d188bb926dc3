#!/bin/sh
# Makes the secrets of deploy/replicas.yaml in deploy/secrets, each readable by its container's user alone. What is
# there already stays. Run it as root:
#     sudo deploy/secrets.sh
set -eu
cd "$(dirname "$0")"

word() { head -c 32 /dev/urandom | od -An -tx1 | tr -d ' \n'; }
# Makes the file $1 for the user $2 of what is read.
make() {
    if [ -e "secrets/$1" ]; then return 0; fi
    cat >"secrets/$1"
    chown "$2:$2" "secrets/$1"
    chmod 400 "secrets/$1"
    echo "made deploy/secrets/$1"
}

umask 077
install -d -m 711 secrets
password=$(word)
printf %s "$password" | make postgres_password 999
password=$(cat secrets/postgres_password)
printf 'postgres://drover:%s@postgres/drover' "$password" | make store_url 10001
for name in api_token pass_key cluster_key; do
    word | make "$name" 10001
done
