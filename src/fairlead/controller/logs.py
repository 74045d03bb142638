"""Logs as JSON, a line an event."""

import json
import logging
import sys
from datetime import UTC, datetime
from typing import IO

_PLAIN = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime", "taskName"}


class JsonFormatter(logging.Formatter):
    """Writes a record with all its extra fields."""

    def format(self, record: logging.LogRecord) -> str:
        """Return a record as one line."""
        told = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "message": record.getMessage(),
            **{name: value for name, value in vars(record).items() if name not in _PLAIN},
        }
        if record.exc_info:
            told["trace"] = self.formatException(record.exc_info)
        return json.dumps(told, default=str, ensure_ascii=False)


def log_to(stream: IO[str] = sys.stderr, level: int = logging.INFO) -> None:
    """Send the logs of fairlead to a stream, as JSON."""
    handler = logging.StreamHandler(stream)
    handler.setFormatter(JsonFormatter())
    logger = logging.getLogger("fairlead")
    logger.handlers = [handler]
    logger.setLevel(level)
    logger.propagate = False
