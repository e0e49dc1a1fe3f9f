//! A limit on memory for the processes that read files of others.

/// Limits what is taken beside what the program takes already.
#[cfg(target_os = "linux")]
pub fn limit_memory(bytes: u64) {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let size = status.lines().find_map(|line| line.strip_prefix("VmSize:"));
    let kibibytes: Option<u64> = size.and_then(|size| size.split_whitespace().next()?.parse().ok());
    let taken = kibibytes.map_or(1 << 30, |kibibytes| kibibytes << 10);
    set_limit(libc::RLIMIT_AS, taken.saturating_add(bytes));
    set_limit(libc::RLIMIT_CORE, 0);
}

/// Without a limit the file is read all the same: the time limit holds.
#[cfg(target_os = "linux")]
fn set_limit(resource: libc::__rlimit_resource_t, limit: u64) {
    let limit = libc::rlimit { rlim_cur: limit, rlim_max: limit };
    // SAFETY: the pointer is to a value that lives until the call returns, and the call changes only limits.
    unsafe { libc::setrlimit(resource, &raw const limit) };
}

#[cfg(not(target_os = "linux"))]
pub fn limit_memory(_: u64) {}
