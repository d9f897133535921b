"""The table of ingested documents: one row for each file of an owner in an index."""

from datetime import datetime

from sqlalchemy import BIGINT, PrimaryKeyConstraint, UniqueConstraint, func
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column


class Base(DeclarativeBase):
    """The tables of the ingestion room."""


class DocumentRow(Base):
    """A file as it was when it was ingested. Its chunks go when it goes."""

    __tablename__ = "documents"
    __table_args__ = (
        PrimaryKeyConstraint("user_id", "id"),
        UniqueConstraint("index_table", "user_id", "source_file"),
    )

    id: Mapped[int] = mapped_column(BIGINT, autoincrement=True)
    index_table: Mapped[str]
    user_id: Mapped[str]
    source_file: Mapped[str]
    sha256: Mapped[str]
    pages: Mapped[int]
    chunks: Mapped[int]
    ingested_at: Mapped[datetime] = mapped_column(server_default=func.now())
