# SPDX-License-Identifier: Apache-2.0
"""Runs a command in a network of its own that reaches no further than this machine: `unshare -n python loopback_only.py COMMAND…`.

A new network has a loopback that is down, and examples have servers and clients that meet there.
"""

import fcntl
import os
import socket
import struct
import sys

_SIOCSIFFLAGS = 0x8914
_IFF_UP = 1


def main() -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        fcntl.ioctl(any_socket, _SIOCSIFFLAGS, struct.pack("16sH14x", b"lo", _IFF_UP))
    os.execvp(sys.argv[1], sys.argv[1:])


if __name__ == "__main__":
    main()
