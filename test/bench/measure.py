"""Runs the command it is given and writes what that cost, as JSON, to file descriptor 3."""

import json
import os
import sys

pid = os.posix_spawnp(sys.argv[1], sys.argv[1:], os.environ, file_actions=[(os.POSIX_SPAWN_CLOSE, 3)])
_, status, usage = os.wait4(pid, 0)
cost = {
    "cpu": usage.ru_utime + usage.ru_stime,
    "peak": usage.ru_maxrss / 1024,
}
with os.fdopen(3, "w") as out:
    json.dump(cost, out)
sys.exit(os.waitstatus_to_exitcode(status) & 0xFF)
