//! The memory that this process takes, as the operating system counts it.

/// Returns the greatest resident memory so far, in bytes, where the system tells (Linux).
pub fn peak_bytes() -> Option<u64> {
    field("VmHWM:")
}

fn field(name: &str) -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix(name))?;
    let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kilobytes * 1024)
}
