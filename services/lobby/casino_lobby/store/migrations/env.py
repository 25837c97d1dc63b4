"""Alembic environment: runs migrations on the caller's connection, in its transaction."""

from alembic import context

from casino_lobby.store.schema import metadata

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    transactional_ddl=True,
)
with context.begin_transaction():
    context.run_migrations()
