"""Attacks on the bounds: memory, output, disk, time, stdin."""

from hooks.engine.sandbox.attacks import Attack

MEMORY = [
    Attack(
        "one-big-block",
        "memory",
        "an allocation over the bound fails",
        "try:\n    block = bytearray(3 << 30)\nexcept MemoryError: pass\nelse: print('ESCAPED')\n",
    ),
    Attack(
        "mapped-and-shared",
        "memory",
        "shared anonymous memory counts",
        "import mmap\nheld = []\nfor _ in range(4):\n    if os.fork() == 0:\n        m = mmap.mmap(-1, 200 << 20)\n"
        "        for place in range(0, 200 << 20, 4096): m[place] = 1\n        time.sleep(8)\n        os._exit(0)\n"
        "time.sleep(8)\nprint('ESCAPED 800 MB')\n",
        finishes=False,
        signal=9,
    ),
    Attack(
        "memory-and-tmp",
        "memory",
        "files in /tmp count as memory",
        "open('/tmp/fill', 'wb').write(bytes(60 << 20))\n"
        "for _ in range(3):\n    if os.fork() == 0:\n        block = bytearray(165 << 20)\n"
        "        for place in range(0, len(block), 4096): block[place] = 1\n        time.sleep(8)\n        os._exit(0)\n"
        "time.sleep(8)\nprint('ESCAPED 555 MB')\n",
        finishes=False,
        signal=9,
    ),
    Attack(
        "socket-buffers",
        "memory",
        "what fills sockets counts",
        "for _ in range(60):\n    if os.fork() == 0: break\n"
        "held = []\ntry:\n    while True:\n        a, b = socket.socketpair()\n        a.setblocking(False)\n        held += [a, b]\n"
        "        try:\n            while True: a.send(bytes(65536))\n        except BlockingIOError: pass\nexcept OSError: pass\n"
        "time.sleep(8)\nprint('ESCAPED')\n",
        finishes=False,
        signal=9,
    ),
    Attack(
        "shared-pages-are-no-crime",
        "memory",
        "pages that processes share are counted once, so honest hooks are not stopped",
        "block = bytearray(60 << 20)\nfor place in range(0, len(block), 4096): block[place] = 1\n"
        "for _ in range(20):\n    if os.fork() == 0:\n        time.sleep(1)\n        os._exit(0)\ntime.sleep(0.6)\n",
    ),
]

OUTPUT = [
    Attack(
        "errors-without-end",
        "output",
        "standard error is kept to its bound, and the time limit holds",
        "yes >&2",
        "bash",
        ("timeout",),
        False,
        None,
        1,
        4,
    ),
    Attack(
        "children-print",
        "output",
        "output of children counts",
        "for i in 1 2 3 4; do yes & done; wait",
        "bash",
        ("output_too_large",),
        False,
        seconds=5,
    ),
    Attack(
        "closed-output",
        "output",
        "a hook that closes its output still ends",
        "exec 1>&- 2>&-; sleep 0.2; exit 0",
        "bash",
        finishes=False,
        seconds=3,
    ),
    Attack(
        "write-back",
        "output",
        "the pipes cannot be read or reopened to reach the runner",
        "attempt('read stdout', os.read, 1, 1)\n",
    ),
]

DISK = [
    Attack(
        "inodes",
        "disk and inodes",
        "files without content are bounded too",
        "import itertools\nfor number in itertools.count():\n    os.close(os.open(f'/tmp/{number}', os.O_CREAT))\n"
        "    if number > 400000: print('ESCAPED', number); break\n",
        finishes=False,
        signal=9,
        seconds=8,
    ),
    Attack(
        "one-big-file",
        "disk and inodes",
        "a file cannot outgrow /tmp",
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "with open('/tmp/big', 'wb') as file:\n    attempt('truncate', file.truncate, 1 << 30)\n",
    ),
    Attack(
        "shm",
        "disk and inodes",
        "/dev/shm is /tmp",
        "open('/dev/shm/x', 'w').close()\nif not os.path.exists('/tmp/x'): print('ESCAPED')\n",
    ),
    Attack(
        "other-tmpfs",
        "disk and inodes",
        "no other file system can be filled",
        "for line in open('/proc/mounts'):\n    place, kind, options = line.split()[1:4]\n"
        "    if kind == 'tmpfs' and place != '/tmp' and not place.startswith('/dev/') and 'ro' not in options.split(','):\n"
        "        print('ESCAPED', line)\n",
    ),
]

TIME = [
    Attack(
        "busy-loop",
        "time",
        "ended by the time limit",
        "while True: pass\n",
        statuses=("timeout",),
        finishes=False,
        timeout=1,
        seconds=4,
    ),
    Attack(
        "stopped",
        "time",
        "a hook that stops itself is ended",
        "os.kill(os.getpid(), signal.SIGSTOP)\n",
        statuses=("timeout",),
        finishes=False,
        timeout=1,
        seconds=4,
    ),
    Attack(
        "stopped-family",
        "time",
        "stopped children do not outlive the limit",
        "for i in 1 2 3; do (kill -STOP $BASHPID) & done; sleep 60",
        "bash",
        ("timeout",),
        False,
        None,
        1,
        4,
    ),
]

STDIN = [
    Attack(
        "stdin-is-sealed",
        "stdin",
        "what the hook was told cannot be changed",
        "attempt('write', os.write, 0, b'x')\nattempt('truncate', os.ftruncate, 0, 1)\n"
        "attempt('reopen', lambda: os.write(os.open('/proc/self/fd/0', os.O_RDWR), b'x'))\n",
    ),
    Attack("stdin-ends", "stdin", "standard input has an end", "if sys.stdin.buffer.read() != b'': print('ESCAPED')\n"),
    Attack(
        "transcript-is-read-only",
        "files of the sandbox",
        "the transcript is there and cannot be changed",
        "path = '/mnt/data/hook_transcript.txt'\nif read(path) != b'user: hello\\n': print('ESCAPED', read(path))\n"
        "attempt('append', os.open, path, os.O_APPEND | os.O_WRONLY)\nattempt('rename', os.rename, path, path + '2')\n"
        "attempt('link', os.link, path, '/tmp/link')\n",
    ),
]

ATTACKS = MEMORY + OUTPUT + DISK + TIME + STDIN
