"""SQL of the failover tests: which sessions of PostgreSQL write, and which hold locks."""

from casino_lobby.store.connection.lobby_lock import KEY

WRITERS = """
CREATE TABLE written (pid integer, name text);
CREATE FUNCTION note_writer() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    INSERT INTO written VALUES (pg_backend_pid(), TG_TABLE_NAME); RETURN NULL;
END $$;
DO $$ DECLARE name text; BEGIN
    FOR name IN SELECT tablename FROM pg_tables
        WHERE schemaname = 'public' AND tablename <> 'written' LOOP
        EXECUTE format('CREATE TRIGGER note_writer AFTER INSERT OR UPDATE OR DELETE ON %I'
            ' FOR EACH STATEMENT EXECUTE FUNCTION note_writer()', name);
    END LOOP;
END $$
"""
"""Notes the session of every statement that writes, in the transaction of the statement."""

HOLDERS = f"""
SELECT (classid::bigint << 32 | objid::bigint) - {KEY}, pid FROM pg_locks
    WHERE locktype = 'advisory' AND granted AND mode = 'ExclusiveLock'
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
"""
"""The number of each member of a group, and the session that holds its lock, which writes."""
