"""System calls that a hook has no need of, one attack each. Numbers: the kernel's tables for x86_64 and aarch64."""

from hooks.engine.sandbox.attacks import Attack

CALLS = {
    "mount": (165, 40),
    "umount2": (166, 39),
    "pivot_root": (155, 41),
    "chroot": (161, 51),
    "unshare": (272, 97),
    "setns": (308, 268),
    "ptrace": (101, 117),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "pidfd_getfd": (438, 438),
    "kcmp": (312, 272),
    "add_key": (248, 217),
    "request_key": (249, 218),
    "keyctl": (250, 219),
    "io_uring_setup": (425, 425),
    "bpf": (321, 280),
    "perf_event_open": (298, 241),
    "userfaultfd": (323, 282),
    "memfd_create": (319, 279),
    "memfd_secret": (447, 447),
    "shmget": (29, 194),
    "semget": (64, 190),
    "msgget": (68, 186),
    "mq_open": (240, 180),
    "clone3": (435, 435),
    "name_to_handle_at": (303, 264),
    "open_by_handle_at": (304, 265),
    "init_module": (175, 105),
    "finit_module": (313, 273),
    "kexec_load": (246, 104),
    "reboot": (169, 142),
    "swapon": (167, 224),
    "personality": (135, 92),
    "seccomp": (317, 277),
    "fsopen": (430, 430),
    "open_tree": (428, 428),
    "move_mount": (429, 429),
    "mount_setattr": (442, 442),
    "syslog": (103, 116),
    "acct": (163, 89),
    "fanotify_init": (300, 262),
    "setuid": (105, 146),
    "setgroups": (116, 159),
    "capset": (126, 91),
    "sethostname": (170, 161),
    "clock_settime": (227, 112),
    "process_madvise": (440, 440),
}

ATTACKS = [
    Attack(
        f"call-{name}",
        "kernel surface",
        "refused as if the kernel did not know it",
        f"number = {numbers!r}[os.uname().machine == 'aarch64']\n"
        "libc = ctypes.CDLL(None, use_errno=True)\n"
        "got = libc.syscall(ctypes.c_long(number), *[ctypes.c_long(0)] * 6)\n"
        "if got != -1 or ctypes.get_errno() != errno.ENOSYS: print('ESCAPED', got, ctypes.get_errno())\n",
    )
    for name, numbers in CALLS.items()
] + [
    Attack(
        "clone-into-namespaces",
        "kernel surface",
        "clone takes no namespace flag",
        "libc = ctypes.CDLL(None, use_errno=True)\n"
        "number = 220 if os.uname().machine == 'aarch64' else 56\n"
        "for flag in (0x80, 0x20000, 0x2000000, 0x4000000, 0x8000000, 0x10000000, 0x20000000, 0x40000000):\n"
        "    got = libc.syscall(ctypes.c_long(number), ctypes.c_long(flag | 17), *[ctypes.c_long(0)] * 4)\n"
        "    if got == 0: os._exit(0)\n"
        "    if got > 0: print('ESCAPED clone', hex(flag))\n",
    ),
    Attack(
        "prctl",
        "kernel surface",
        "the tie to the parent, dumpability and ambient capabilities cannot be changed",
        "libc = ctypes.CDLL(None, use_errno=True)\n"
        "for option, value in ((1, 0), (1 | 1 << 32, 0), (4, 0), (8, 1), (22, 2), (36, 1), (47, 2), (0x59616D61, 1)):\n"
        "    if libc.prctl(ctypes.c_ulong(option), ctypes.c_ulong(value), 0, 0, 0) != -1: print('ESCAPED prctl', option)\n",
    ),
    Attack(
        "terminal-input",
        "kernel surface",
        "no character can be pushed into a terminal, and there is none",
        "import fcntl\nfor number in (0x5412, 0x541C, 0x5412 | 1 << 32):\n"
        "    for fd in (0, 1, 2):\n        libc = ctypes.CDLL(None, use_errno=True)\n"
        "        if libc.ioctl(fd, ctypes.c_ulong(number), b'x') != -1: print('ESCAPED ioctl', hex(number))\n"
        "attempt('tty', os.open, '/dev/tty', os.O_RDWR)\n",
    ),
    Attack(
        "foreign-architecture",
        "kernel surface",
        "a 32-bit system call kills the process",
        "import mmap\n"
        "if os.uname().machine == 'x86_64':\n"
        "    pid = os.fork()\n"
        "    if pid == 0:\n"
        "        page = mmap.mmap(-1, 4096, prot=7)\n"
        "        page.write(bytes.fromhex('b814000000cd80c3'))\n"
        "        address = ctypes.addressof(ctypes.c_char.from_buffer(page))\n"
        "        ctypes.CFUNCTYPE(ctypes.c_int)(address)()\n"
        "        os._exit(0)\n"
        "    if os.waitpid(pid, 0)[1] == 0: print('ESCAPED int 0x80')\n",
    ),
    Attack(
        "x32-calls",
        "kernel surface",
        "the x32 numbers are no way round the filter",
        "if os.uname().machine == 'x86_64':\n"
        "    pid = os.fork()\n"
        "    if pid == 0:\n"
        "        got = ctypes.CDLL(None).syscall(ctypes.c_long(0x40000000 | 39))\n"
        "        os._exit(0 if got > 0 else 1)\n"
        "    if os.waitpid(pid, 0)[1] == 0: print('ESCAPED x32')\n",
    ),
    Attack(
        "setuid-program",
        "kernel surface",
        "a setuid program gives no other user",
        "for path in glob.glob('/usr/bin/*') + glob.glob('/usr/sbin/*'):\n"
        "    if path.endswith(('/su', '/mount', '/newgrp')) and os.stat(path).st_mode & 0o4000:\n"
        "        subprocess.run([path, '--version'], capture_output=True, stdin=subprocess.DEVNULL)\n"
        "if 'nosuid' not in [l.split()[3] for l in open('/proc/mounts') if l.split()[1] == '/usr'][0]: print('ESCAPED suid')\n"
        "if os.getresuid() != (1000, 1000, 1000): print('ESCAPED', os.getresuid())\n",
    ),
    Attack(
        "device-node",
        "kernel surface",
        "no device can be made",
        "import stat\n"
        "attempt('mknod', os.mknod, '/tmp/sda', stat.S_IFBLK | 0o600, os.makedev(8, 0))\n"
        "attempt('mem', os.mknod, '/tmp/mem', stat.S_IFCHR | 0o600, os.makedev(1, 1))\n"
        "for name in os.listdir('/dev'):\n"
        "    if name not in ('null zero full random urandom fd stdin stdout stderr shm'.split()): print('ESCAPED', name)\n",
    ),
]
