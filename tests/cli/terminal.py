"""A program on a pseudo-terminal: keys in, what it shows out."""
import errno
import fcntl
import os
import pty
import re
import select
import signal
import struct
import termios
import time


class Terminal:
    """What was shown is kept from the last expect() on."""

    def __init__(self, words, environment, size=(24, 80)):
        self.text = ""
        self.process, self.master = pty.fork()
        if self.process == 0:
            os.execve(words[0], words, environment)
        self.resize(*size)

    def resize(self, rows, columns):
        fcntl.ioctl(self.master, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        os.kill(self.process, signal.SIGWINCH)

    def type(self, keys):
        os.write(self.master, keys.encode())

    def line(self, text):
        self.type(text + "\r")

    def _read(self, seconds):
        """Reads what there is; False at the end of the program."""
        if not select.select([self.master], [], [], seconds)[0]:
            return True
        try:
            data = os.read(self.master, 1 << 16)
        except OSError as error:
            if error.errno != errno.EIO:
                raise
            data = b""
        self.text += data.decode("utf-8", "replace")
        return bool(data)

    def expect(self, pattern, seconds=20):
        """Waits until the pattern was shown; gives what was shown up to its end."""
        end = time.monotonic() + seconds
        alive = True
        while True:
            match = re.search(pattern, self.text)
            if match:
                shown, self.text = self.text[:match.end()], self.text[match.end():]
                return shown
            if not alive or time.monotonic() > end:
                raise AssertionError(f"'{pattern}' does not come: {self.text!r}")
            alive = self._read(max(0.0, end - time.monotonic()))

    def exit_status(self, seconds=20):
        end = time.monotonic() + seconds
        while self._read(0.1):
            if time.monotonic() > end:
                os.kill(self.process, signal.SIGKILL)
        _, status = os.waitpid(self.process, 0)
        os.close(self.master)
        return os.waitstatus_to_exitcode(status)
