"""Logins of A2G: accounts, their tokens, and links of wallets to other accounts."""

from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

import orjson
from casino_storage.sqlite_file import SqliteFile
from sqlalchemy import ColumnElement, Row, Select, delete, or_, select, update
from sqlalchemy.dialects.sqlite import insert
from sqlalchemy.ext.asyncio import AsyncConnection

from casino_gateway.domain.login import IDLE, Login, Permissions
from casino_gateway.store.gateway_schema import account, booking, cursor, link, time_of, token

_SEQUENCES = 10_000
"""How many sequences a process reserves at once, so that none is used twice after a crash."""


@dataclass(frozen=True, slots=True)
class TokenHashes:
    """Hashes of a token and of the session id that belongs to it."""

    token: str = field(repr=False)
    session: str = field(repr=False)


class Logins:
    """Accounts and tokens in the database. All methods raise StoreFailed."""

    def __init__(self, database: SqliteFile) -> None:
        self._database = database

    async def add(self, login: Login, hashes: TokenHashes) -> None:
        written = {"login_id": login.login_id, "display_name": login.display_name}
        now = login.heard_at.timestamp()
        async with self._writing() as connection:
            await connection.execute(
                delete(token).where(
                    or_(token.c.expires_at <= now, token.c.heard_at <= now - IDLE.total_seconds())
                )
            )
            await connection.execute(
                insert(account)
                .values(**written, wallet_address=login.wallet_address, sequence=0)
                .on_conflict_do_update(
                    index_elements=["login_id"], set_={"display_name": login.display_name}
                )
            )
            await connection.execute(
                insert(token).values(
                    token_hash=hashes.token,
                    session_hash=hashes.session,
                    login_id=login.login_id,
                    expires_at=login.expires_at.timestamp(),
                    heard_at=now,
                )
            )
            await self._forget_guests(connection)

    async def by_token(self, token_hash: str) -> Login | None:
        return await self._first(_logins().where(token.c.token_hash == token_hash))

    async def by_session(self, session_hash: str) -> Login | None:
        return await self._first(_logins().where(token.c.session_hash == session_hash))

    async def of_wallet(self, wallet_address: str) -> str | None:
        async with self._database.reading() as connection:
            query = select(account.c.login_id).where(account.c.wallet_address == wallet_address)
            login_id: str | None = (await connection.execute(query)).scalar()
            return login_id

    async def current(self, now: datetime) -> Sequence[Login]:
        """Return one login of each account that has a valid token."""
        async with self._database.reading() as connection:
            rows = await connection.execute(_logins().order_by(token.c.heard_at))
            newest = {login.login_id: login for login in map(_login, rows)}
        return [login for login in newest.values() if not login.is_over(now)]

    async def heard(self, login_id: str, at: datetime, expires_at: datetime | None = None) -> None:
        """Note that the client of an account was heard, and until when its tokens are valid."""
        values = {"heard_at": at.timestamp()}
        if expires_at is not None:
            values["expires_at"] = expires_at.timestamp()
        async with self._writing() as connection:
            await connection.execute(
                update(token).where(token.c.login_id == login_id).values(**values)
            )

    async def reserve(self, login_id: str) -> range:
        """Return sequences for an account's messages that were never used."""
        async with self._writing() as connection:
            raised = (
                update(account)
                .where(account.c.login_id == login_id)
                .values(sequence=account.c.sequence + _SEQUENCES)
                .returning(account.c.sequence)
            )
            end = int((await connection.execute(raised)).scalar_one())
        return range(end - _SEQUENCES + 1, end + 1)

    async def add_link(
        self, link_id: str, login_id: str, wallet_address: str, permissions: Permissions
    ) -> bool:
        values = {
            "link_id": link_id,
            "login_id": login_id,
            "wallet_address": wallet_address,
            "permissions": orjson.dumps(permissions.as_json()).decode(),
        }
        async with self._writing() as connection:
            done = await connection.execute(
                insert(link).values(**values).on_conflict_do_nothing(["wallet_address"])
            )
        return done.rowcount == 1

    async def links(self, login: Login) -> list[tuple[str, str, Permissions]]:
        """Return the id, wallet and limits of the links that an account made or that bind it."""
        async with self._database.reading() as connection:
            rows = await connection.execute(select(link).where(_concerns(login)))
            return [
                (row.link_id, row.wallet_address, Permissions.of(orjson.loads(row.permissions)))
                for row in rows
            ]

    async def remove_link(self, link_id: str, login: Login) -> bool:
        """Remove a link that an account made or that binds it; returns whether there was one."""
        async with self._writing() as connection:
            done = await connection.execute(
                delete(link).where(link.c.link_id == link_id, _concerns(login))
            )
        return done.rowcount == 1

    def _writing(self) -> AbstractAsyncContextManager[AsyncConnection]:
        return self._database.writing()

    async def _first(self, query: Select[Any]) -> Login | None:
        async with self._database.reading() as connection:
            row = (await connection.execute(query)).first()
        return None if row is None else _login(row)

    @staticmethod
    async def _forget_guests(connection: AsyncConnection) -> None:
        """Delete guests without a valid token: nobody can ask for their bookings any more."""
        valid = select(token.c.login_id)
        gone = (
            select(account.c.login_id)
            .where(account.c.wallet_address.is_(None))
            .where(account.c.login_id.not_in(valid))
        )
        for table in (booking, cursor, link, account):
            await connection.execute(delete(table).where(table.c.login_id.in_(gone)))


def _concerns(login: Login) -> ColumnElement[bool]:
    made: ColumnElement[bool] = link.c.login_id == login.login_id
    wallet = login.wallet_address
    return made if wallet is None else or_(made, link.c.wallet_address == wallet)


def _logins() -> Select[Any]:
    return (
        select(account, token, link.c.login_id.label("linked"), link.c.permissions)
        .join_from(token, account, account.c.login_id == token.c.login_id)
        .outerjoin(link, link.c.wallet_address == account.c.wallet_address)
    )


def _login(row: Row[Any]) -> Login:
    return Login(
        login_id=row.login_id,
        display_name=row.display_name,
        wallet_address=row.wallet_address,
        linked_user_id=row.linked,
        permissions=Permissions.of(orjson.loads(row.permissions or "{}")),
        expires_at=time_of(row.expires_at),
        heard_at=time_of(row.heard_at),
    )
