//! Which kernels a run computes with: chosen once, saved with the run, and not changed behind a researcher's back.

use anyhow::{Result, bail};

use crate::progress::Progress;

/// The environment variable that chooses kernels where `--kernels` does not.
pub(crate) const VARIABLE: &str = "SENPU_KERNELS";

/// Chooses the kernels of a run: those asked for, else those it was begun with, else those of this machine.
///
/// # Errors
/// If this machine lacks what was asked for, or the run was begun with other kernels and nothing was asked for: its games would go on with
/// other last bits, and could not be repeated.
pub(crate) fn choose(
    asked: Option<&str>,
    saved: Option<&str>,
    available: &str,
    progress: &Progress,
) -> Result<String> {
    if let Some(asked) = asked
        && asked != available
    {
        bail!("kernels `{asked}` are not to be had on this machine; it has `{available}`");
    }
    match saved {
        Some(saved) if saved != available => {
            if asked.is_none() {
                bail!(
                    "this run was begun with kernels `{saved}`, and this machine has `{available}`, by which results differ in their last \
                     bits: go on there, or give --kernels {available} (or {VARIABLE}={available}) to go on here"
                );
            }
            progress.warn(format!("going on with kernels `{available}` in place of `{saved}`: the run cannot be repeated exactly"));
        }
        _ => {}
    }
    Ok(available.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::progress::Verbosity;

    #[test]
    fn kernels_do_not_change_unless_asked_to() {
        let progress = Progress::new(Verbosity::Quiet);
        let choose = |asked, saved| {
            choose(asked, saved, "flex-avx2", &progress).map_err(|error| error.to_string())
        };
        assert_eq!(choose(None, None).unwrap(), "flex-avx2");
        assert_eq!(choose(None, Some("flex-avx2")).unwrap(), "flex-avx2");
        assert!(
            choose(None, Some("flex-avx512"))
                .unwrap_err()
                .contains("--kernels flex-avx2")
        );
        assert_eq!(
            choose(Some("flex-avx2"), Some("flex-avx512")).unwrap(),
            "flex-avx2"
        );
        assert!(
            choose(Some("abacus"), None)
                .unwrap_err()
                .contains("not to be had")
        );
    }
}
