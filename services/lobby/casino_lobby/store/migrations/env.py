"""Alembic's entrance: it works on the connection, and in the transaction, of whoever called it."""

from alembic import context

from casino_lobby.store.schema import metadata

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    transactional_ddl=True,
)
with context.begin_transaction():
    context.run_migrations()
