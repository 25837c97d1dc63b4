# Makes a cluster at the first start, and serves it: what the public image does with its variables.
set -eu
if [ ! -s "$PGDATA/PG_VERSION" ]; then
  initdb --username="$POSTGRES_USER" --pwfile="$POSTGRES_PASSWORD_FILE" --auth-host=scram-sha-256 \
    --encoding=UTF8 --locale=C.UTF-8 >/dev/null
  echo "host all all all scram-sha-256" >>"$PGDATA/pg_hba.conf"
  echo "CREATE DATABASE \"$POSTGRES_DB\"" | postgres --single -j postgres >/dev/null
fi
exec postgres -c listen_addresses='*' -c jit=off
