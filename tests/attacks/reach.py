"""Attacks on what lies outside: networks, files, environment, other processes."""

from hooks.engine.sandbox.attacks import Attack

NETWORK = [
    Attack(
        "every-family",
        "network",
        "only AF_UNIX can be made",
        "for family in range(64):\n    if family == 1: continue\n"
        "    for kind in (1, 2, 3, 5, 10):\n        attempt((family, kind), socket.socket, family, kind)\n"
        "        attempt(('pair', family, kind), socket.socketpair, family, kind)\n",
    ),
    Attack(
        "family-with-high-bits",
        "network",
        "a family above 32 bits is no way round the filter",
        "libc = ctypes.CDLL(None, use_errno=True)\nnumber = 198 if os.uname().machine == 'aarch64' else 41\n"
        "for family in (2, 10, 16, 40):\n"
        "    got = libc.syscall(ctypes.c_long(number), ctypes.c_long(family | 1 << 32), ctypes.c_long(1), ctypes.c_long(0))\n"
        "    if got >= 0: print('ESCAPED', family)\n",
    ),
    Attack(
        "abstract-socket",
        "network",
        "abstract unix sockets of the host are not there",
        "for name in [l.split()[-1] for l in open('/proc/net/unix').read().splitlines()[1:] if '@' in l]: print('ESCAPED', name)\n"
        "for name in ('\\0/tmp/.X11-unix/X0', '\\0hook-attack'):\n"
        "    s = socket.socket(socket.AF_UNIX)\n    attempt(name, s.connect, name)\n",
    ),
    Attack(
        "host-sockets",
        "network",
        "no socket file of the host is there",
        "for path in ('/run/docker.sock', '/var/run/docker.sock', '/run/dbus/system_bus_socket', '/run/systemd/notify',\n"
        "             '/tmp/.X11-unix/X0', '@SOCKET@'):\n"
        "    s = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET if path.startswith('/tmp') else socket.SOCK_STREAM)\n"
        "    attempt(path, s.connect, path)\n",
    ),
    Attack(
        "dev-tcp", "network", "bash's own network", "(echo > /dev/tcp/127.0.0.1/22) 2>/dev/null && echo ESCAPED", "bash"
    ),
    Attack(
        "names",
        "network",
        "no name resolves",
        "attempt('resolve', socket.getaddrinfo, 'example.org', 80)\n",
    ),
    Attack(
        "interfaces",
        "network",
        "no interface but a loopback",
        "names = {line.split(':')[0].strip() for line in open('/proc/net/dev').read().splitlines()[2:]}\n"
        "if names - {'lo'}: print('ESCAPED', names)\n",
    ),
]

FILES = [
    Attack(
        "portal-files",
        "host files",
        "nothing of the portal, readable for all or not",
        "for path in ('@SECRET@', '@OPEN@'):\n    attempt(path, read, path)\n    attempt(path, os.stat, path)\n"
        "    for up in ('/proc/self/root', '/proc/self/cwd/../../../..', '/dev/fd/../root', '/usr/../../..'):\n"
        "        attempt(up, read, up + path)\n",
    ),
    Attack(
        "top-level",
        "host files",
        "the root holds what it should",
        "more = set(os.listdir('/')) - set('bin sbin lib lib32 lib64 libx32 usr etc dev proc tmp mnt hook'.split())\n"
        "if more: print('ESCAPED', more)\n"
        "if set(os.listdir('/etc')) - {'alternatives', 'ld.so.cache'}: print('ESCAPED', os.listdir('/etc'))\n",
    ),
    Attack(
        "hidden-in-proc",
        "host files",
        "the kernel's command line, symbols and keys are empty",
        "for path in ('/proc/cmdline', '/proc/kallsyms', '/proc/keys'):\n"
        "    try: found = read(path)\n    except OSError: continue\n    if found: print('ESCAPED', path)\n"
        "for path in ('/proc/kcore', '/proc/kmsg', '/proc/sysrq-trigger', '/proc/kpagecount', '/proc/vmallocinfo'):\n"
        "    attempt(path, os.open, path, os.O_RDONLY)\n",
    ),
    Attack(
        "old-root",
        "host files",
        "the old root is gone",
        "for path in ('/oldroot', '/newroot', '/.oldroot'):\n    attempt(path, os.stat, path)\n",
    ),
    Attack(
        "mount-table",
        "host files",
        "the table of mounts names no path of the portal",
        "table = read('/proc/self/mountinfo').decode()\nfor word in ('@ROOT@', '/root', '/home', 'hook_portal'):\n"
        "    if word and word in table: print('ESCAPED', word)\n",
    ),
    Attack(
        "descriptors",
        "host files",
        "no descriptor but three",
        "fds = set(os.listdir('/proc/self/fd'))\n"
        "if len(fds) > 4: print('ESCAPED', {fd: os.readlink('/proc/self/fd/' + fd) for fd in fds if os.path.lexists('/proc/self/fd/' + fd)})\n"
        "for fd in (0, 1, 2):\n    if os.readlink(f'/proc/self/fd/{fd}').startswith('/'):\n"
        "        if 'memfd' not in os.readlink(f'/proc/self/fd/{fd}'): print('ESCAPED', os.readlink(f'/proc/self/fd/{fd}'))\n",
    ),
    Attack(
        "descriptors-bash",
        "host files",
        "no descriptor is left over for bash",
        "for fd in /proc/self/fd/*; do case $fd in */0|*/1|*/2|*/3|*/255|*/'*') ;; *) [ -e $fd ] && [ $(readlink $fd) != /hook/script ] && echo ESCAPED $fd;; esac; done",
        "bash",
    ),
    Attack(
        "sysfs",
        "host files",
        "no sysfs, no cgroup tree, no debugfs",
        "for path in ('/sys/class', '/sys/fs/cgroup', '/sys/kernel/debug'):\n    attempt(path, os.listdir, path)\n",
    ),
]

ENVIRONMENT = [
    Attack(
        "secret-anywhere",
        "environment and arguments",
        "the portal's secret is in no file of /proc",
        "for path in glob.glob('/proc/[0-9]*/*') + glob.glob('/proc/self/task/*/*'):\n"
        "    if path.rsplit('/', 1)[1] in ('mem', 'pagemap', 'clear_refs', 'kmsg'): continue\n"
        "    try: found = b'canary-secret-' + b'7f3a' in read(path)\n    except OSError: continue\n"
        "    if found: print('ESCAPED', path)\n",
    ),
    Attack(
        "arguments",
        "environment and arguments",
        "no command line names a path of the host",
        "for path in glob.glob('/proc/[0-9]*/cmdline'):\n"
        "    line = read(path)\n    if b'bind' in line or b'seccomp' in line: print('ESCAPED', line)\n",
    ),
    Attack(
        "host-name",
        "environment and arguments",
        "the machine's name is hidden",
        "if os.uname().nodename != 'sandbox' or socket.gethostname() != 'sandbox': print('ESCAPED', os.uname().nodename)\n",
    ),
]

PROCESSES = [
    Attack(
        "other-processes",
        "processes",
        "no process but the hook's own",
        "pids = sorted(int(name) for name in os.listdir('/proc') if name.isdigit())\n"
        "if len(pids) > 2: print('ESCAPED', pids)\n",
    ),
    Attack(
        "kill-everything",
        "processes",
        "signals reach nobody outside",
        "signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
        "for pid in range(3, 40000):\n    if pid != os.getpid(): attempt(pid, os.kill, pid, 0)\n"
        "try: os.kill(-1, signal.SIGTERM)\nexcept ProcessLookupError: pass\n",
    ),
    Attack(
        "kill-init",
        "processes",
        "the hook cannot bring its init down with a forged result",
        "os.kill(1, 9)\nos.kill(1, 15)\ntime.sleep(0.2)\n",
    ),
    Attack(
        "many-threads",
        "processes",
        "threads count as processes",
        "import _thread\n_thread.stack_size(64 << 10)\ngate = _thread.allocate_lock()\ngate.acquire()\nstarted = 0\n"
        "try:\n    while started < 500:\n        _thread.start_new_thread(gate.acquire, ())\n        started += 1\n"
        "except RuntimeError: pass\n"
        "if not 30 < started <= 64: print('ESCAPED', started)\nprint('DONE', flush=True)\nos._exit(0)\n",
    ),
    Attack(
        "raise-limits",
        "processes",
        "limits cannot be raised",
        "import resource\nfor kind in (resource.RLIMIT_NPROC, resource.RLIMIT_AS, resource.RLIMIT_NOFILE, resource.RLIMIT_FSIZE, resource.RLIMIT_CPU):\n"
        "    soft, hard = resource.getrlimit(kind)\n"
        "    if hard == resource.RLIM_INFINITY: print('ESCAPED unlimited', kind)\n"
        "    attempt(kind, resource.setrlimit, kind, (hard + 1, hard + 1))\n",
    ),
    Attack(
        "orphans",
        "processes",
        "children that hold stdout do not delay the answer",
        "for i in 1 2 3 4 5 6; do (trap '' HUP TERM; exec sleep 600) & done; exit 0",
        "bash",
        finishes=False,
        seconds=3,
    ),
    Attack(
        "vfork-and-exec",
        "processes",
        "a process that execs on and on is stopped",
        "exec /bin/bash /hook/script",
        "bash",
        ("timeout",),
        False,
        None,
        1,
        4,
    ),
]

ATTACKS = NETWORK + FILES + ENVIRONMENT + PROCESSES
