"""The system calls a hook may make. What is absent is refused; the notable absences are named at the end.

Names follow Linux; numbers are those of the kernel's headers and equal on x86_64 and aarch64.
"""

_FILES = """
access chdir chmod chown close close_range copy_file_range creat dup dup2 dup3 faccessat faccessat2 fadvise64 fallocate
fchdir fchmod fchmodat fchown fchownat fcntl fdatasync fgetxattr flistxattr flock fstat fstatfs fsync ftruncate futimesat
getcwd getdents getdents64 getxattr lchown lgetxattr link linkat listxattr llistxattr lseek lstat mkdir mkdirat mknod
mknodat newfstatat open openat openat2 pread64 preadv preadv2 pwrite64 pwritev pwritev2 read readahead readlink readlinkat
readv rename renameat renameat2 rmdir sendfile splice stat statfs statx symlink symlinkat sync_file_range tee truncate
umask unlink unlinkat utime utimensat utimes vmsplice write writev
"""

_WAITING = """
epoll_create epoll_create1 epoll_ctl epoll_pwait epoll_pwait2 epoll_wait eventfd eventfd2 inotify_add_watch inotify_init
inotify_init1 inotify_rm_watch pause pipe pipe2 poll ppoll pselect6 select signalfd signalfd4 timerfd_create timerfd_gettime
timerfd_settime
"""

_PROCESSES = """
execve execveat exit exit_group fork getegid geteuid getgid getgroups getpgid getpgrp getpid getppid getpriority
getresgid getresuid getrlimit getrusage getsid gettid getuid kill pidfd_open pidfd_send_signal prlimit64 rseq
rt_sigaction rt_sigpending rt_sigprocmask rt_sigqueueinfo rt_sigreturn rt_sigsuspend rt_sigtimedwait rt_tgsigqueueinfo
sched_get_priority_max sched_get_priority_min sched_getaffinity sched_getattr sched_getparam sched_getscheduler
sched_setaffinity sched_yield set_robust_list get_robust_list set_tid_address setpgid setpriority setrlimit setsid
sigaltstack tgkill tkill vfork wait4 waitid arch_prctl getcpu membarrier restart_syscall
"""

_MEMORY = """
brk madvise mincore mlock mlock2 mlockall mmap mprotect mremap msync munlock munlockall munmap
futex futex_waitv get_mempolicy
"""

_TIME = """
alarm clock_getres clock_gettime clock_nanosleep getitimer gettimeofday nanosleep setitimer time timer_create timer_delete
timer_getoverrun timer_gettime timer_settime times
"""

_SYSTEM = "capget getrandom sysinfo uname"

# Only AF_UNIX can be created (below), so these cannot reach a network.
_SOCKETS = """
accept accept4 bind connect getpeername getsockname getsockopt listen recvfrom recvmmsg recvmsg sendmmsg sendmsg sendto
setsockopt shutdown
"""

ALLOWED = " ".join((_FILES, _WAITING, _PROCESSES, _MEMORY, _TIME, _SYSTEM, _SOCKETS)).split()

# A network namespace does not confine AF_VSOCK, and AF_NETLINK talks to the kernel: AF_UNIX and nothing else.
SOCKET_FAMILIES = (1,)

# CLONE_NEWTIME, NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET
CLONE_NAMESPACES = 0x80 | 0x20000 | 0x2000000 | 0x4000000 | 0x8000000 | 0x10000000 | 0x20000000 | 0x40000000

# TCGETS and TCGETS2 (isatty), TIOCGWINSZ, FIONREAD, FIONBIO, FIONCLEX, FIOCLEX. Not TIOCSTI, TIOCLINUX, FICLONE, SIOC*.
IOCTLS = (0x5401, 0x802C542A, 0x5413, 0x541B, 0x5421, 0x5450, 0x5451)

# PR_GET_PDEATHSIG, PR_GET_DUMPABLE, PR_SET_NAME, PR_GET_NAME, PR_GET_SECCOMP, PR_CAPBSET_READ, PR_GET_TIMERSLACK,
# PR_GET_NO_NEW_PRIVS. Not PR_SET_PDEATHSIG (undoes --die-with-parent), not PR_SET_DUMPABLE (hides from the watchdog).
PRCTLS = (2, 3, 15, 16, 21, 23, 30, 39)

# Absent on purpose: clone3 (its flags cannot be filtered; C libraries fall back to clone), unshare, setns, mount and the
# mount API, pivot_root, chroot, ptrace, process_vm_*, process_madvise, pidfd_getfd, kcmp, keyrings, io_uring, bpf,
# perf_event_open, userfaultfd, memfd_create and memfd_secret (memory outside /tmp's bound), System V IPC, POSIX message
# queues, modules, kexec, reboot, swap, quota, set*id, setgroups, capset, personality, seccomp, landlock, acct, syslog,
# name_to_handle_at, open_by_handle_at, fanotify, lookup_dcookie, nfsservctl, vhangup, iopl, ioperm, modify_ldt,
# setxattr, aio, mbind, migrate_pages, move_pages, sethostname, settimeofday, clock_settime, adjtimex.
