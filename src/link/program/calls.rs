//! The system calls that a confined program is refused: those that hold memory which nobody counts, reach what is shared
//! with other programs, or serve nothing but an attack on the kernel. Runtimes do without them.

use super::protection::Unprotected;
use nix::libc::{
    self, AF_INET, AF_INET6, AF_NETLINK, AF_UNIX, CLONE_NEWUSER, EPERM, F_SETPIPE_SZ, SO_RCVBUF,
    SO_RCVBUFFORCE, SO_SNDBUF, SO_SNDBUFFORCE, SOL_SOCKET, c_int, c_long,
};
use seccompiler::{
    BackendError, BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition,
    SeccompFilter, SeccompRule, TargetArch, apply_filter, sock_filter,
};
use std::collections::BTreeMap;

/// Calls that this machine does not have, as far as a confined program can see.
const MISSING: &[c_long] = &[
    // Memory that no process maps, or that others share.
    libc::SYS_memfd_create,
    libc::SYS_memfd_secret,
    libc::SYS_userfaultfd,
    libc::SYS_io_uring_setup,
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
    libc::SYS_io_setup,
    // It pins whole pages in a pipe that counts as its few bytes.
    libc::SYS_vmsplice,
    // Its queues are the kernel's.
    libc::SYS_inotify_init1,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_inotify_init,
    libc::SYS_shmget,
    libc::SYS_shmat,
    libc::SYS_shmctl,
    libc::SYS_msgget,
    libc::SYS_msgsnd,
    libc::SYS_msgrcv,
    libc::SYS_msgctl,
    libc::SYS_semget,
    libc::SYS_semop,
    libc::SYS_semtimedop,
    libc::SYS_semctl,
    libc::SYS_mq_open,
    libc::SYS_add_key,
    libc::SYS_request_key,
    libc::SYS_keyctl,
    // Other processes.
    libc::SYS_ptrace,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_pidfd_getfd,
    libc::SYS_kcmp,
    // Namespaces, in which it would have rights again. Its flags are in memory, where no filter sees them; all runtimes
    // know the older call.
    libc::SYS_clone3,
    libc::SYS_unshare,
    libc::SYS_setns,
    // Mounts.
    libc::SYS_mount,
    libc::SYS_umount2,
    libc::SYS_pivot_root,
    libc::SYS_chroot,
    libc::SYS_open_tree,
    libc::SYS_move_mount,
    libc::SYS_fsopen,
    libc::SYS_fsconfig,
    libc::SYS_fsmount,
    libc::SYS_fspick,
    libc::SYS_mount_setattr,
    libc::SYS_swapon,
    libc::SYS_swapoff,
    libc::SYS_quotactl,
    libc::SYS_open_by_handle_at,
    libc::SYS_name_to_handle_at,
    libc::SYS_fanotify_init,
    // The kernel.
    libc::SYS_bpf,
    libc::SYS_perf_event_open,
    libc::SYS_kexec_load,
    libc::SYS_init_module,
    libc::SYS_finit_module,
    libc::SYS_delete_module,
    libc::SYS_syslog,
    libc::SYS_acct,
    libc::SYS_reboot,
    libc::SYS_vhangup,
    libc::SYS_sethostname,
    libc::SYS_setdomainname,
    libc::SYS_settimeofday,
    libc::SYS_clock_settime,
    libc::SYS_clock_adjtime,
    libc::SYS_adjtimex,
];
/// The families of sockets that it may have. In its network namespace the last three reach nobody.
const FAMILIES: &[c_int] = &[AF_UNIX, AF_INET, AF_INET6, AF_NETLINK];
/// Buffers that a program would enlarge.
const BUFFERS: &[c_int] = &[SO_SNDBUF, SO_RCVBUF, SO_SNDBUFFORCE, SO_RCVBUFFORCE];
/// The request that puts words into a terminal's input. Its type differs from one C library to another.
const TIOCSTI: u64 = 0x5412;
/// The flags of memory that is shared without a file: what is not mapped of it any more would stay, and count nowhere.
const SHARED: u64 = 0x21;
/// Says whether others of its user may look at a process: what it holds is counted by looking at it.
const SET_DUMPABLE: u64 = 4;
/// The bit of a call's number that means x86's third interface, whose numbers are others.
const X32: u32 = 0x4000_0000;
/// Instructions of the filter (`linux/bpf_common.h`, `linux/seccomp.h`): take the call's number; go on where it is at
/// least so much; end with this.
const TAKE_NUMBER: u16 = 0x20;
const AT_LEAST: u16 = 0x35;
const END: u16 = 0x06;

/// Refuses them to this process and all that it starts.
pub(super) fn refuse() -> Result<(), Unprotected> {
    for filter in filters().map_err(Unprotected::new)? {
        apply_filter(&filter).map_err(Unprotected::new)?;
    }
    Ok(())
}

fn filters() -> Result<[BpfProgram; 2], BackendError> {
    let missing = MISSING.iter().map(|call| (*call, Vec::new())).collect();
    let missing = filter(missing, libc::ENOSYS)?;
    let errno = u32::from(SeccompAction::Errno(libc::ENOSYS.unsigned_abs()));
    let instruction = |code, jf, k| sock_filter { code, jt: 0, jf, k };
    let mut whole = vec![
        instruction(TAKE_NUMBER, 0, 0),
        instruction(AT_LEAST, 1, X32),
        instruction(END, 0, errno),
    ];
    whole.extend(missing);
    Ok([whole, filter(forbidden()?, EPERM)?])
}

type Rules = BTreeMap<i64, Vec<SeccompRule>>;

/// Calls that are refused with some arguments.
fn forbidden() -> Result<Rules, BackendError> {
    use SeccompCmpOp::{Eq, MaskedEq, Ne};
    let rule = |conditions: &[(u8, SeccompCmpOp, u64)]| {
        let conditions = conditions.iter().cloned();
        let conditions = conditions.map(|(argument, operation, value)| {
            SeccompCondition::new(argument, SeccompCmpArgLen::Dword, operation, value)
        });
        SeccompRule::new(conditions.collect::<Result<_, _>>()?)
    };
    let number = |value: c_int| u64::from(value.unsigned_abs());
    let others = FAMILIES.iter().map(|family| (0, Ne, number(*family)));
    let others: Vec<_> = others.collect();
    let new_user = number(CLONE_NEWUSER);
    let of_socket = (1, Eq, number(SOL_SOCKET));
    let larger = BUFFERS.iter();
    let larger = larger.map(|buffer| rule(&[of_socket.clone(), (2, Eq, number(*buffer))]));
    let pipe = number(F_SETPIPE_SZ);
    Ok([
        (libc::SYS_socket, vec![rule(&others)?]),
        (
            libc::SYS_socketpair,
            vec![rule(&[(0, Ne, number(AF_UNIX))])?],
        ),
        (libc::SYS_setsockopt, larger.collect::<Result<_, _>>()?),
        (libc::SYS_fcntl, vec![rule(&[(1, Eq, pipe)])?]),
        (
            libc::SYS_clone,
            vec![rule(&[(0, MaskedEq(new_user), new_user)])?],
        ),
        (
            libc::SYS_mmap,
            vec![rule(&[(3, MaskedEq(SHARED), SHARED)])?],
        ),
        (libc::SYS_prctl, vec![rule(&[(0, Eq, SET_DUMPABLE)])?]),
        (libc::SYS_ioctl, vec![rule(&[(1, Eq, TIOCSTI)])?]),
    ]
    .into())
}

/// Answers these calls with this error, and ends a program whose calls are of another architecture.
fn filter(rules: Rules, errno: c_int) -> Result<BpfProgram, BackendError> {
    let answer = SeccompAction::Errno(errno.unsigned_abs());
    let ours: TargetArch = std::env::consts::ARCH.try_into()?;
    SeccompFilter::new(rules, SeccompAction::Allow, answer, ours)?.try_into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_filters_are_as_long_as_the_kernel_takes() {
        for filter in filters().unwrap() {
            assert!((10..4_096).contains(&filter.len()), "{}", filter.len());
        }
    }
}
