//! The first signal asks, the second ends.
#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a failed test says where")]

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use trainer::interrupt::Interrupt;

const CHILD: &str = "SENPU_TEST_CHILD";

/// Not a test by itself: what the child process of the other one does.
fn child() {
    let interrupt = Interrupt::install().unwrap();
    let mut out = std::io::stdout();
    writeln!(out, "\nready").unwrap();
    let start = Instant::now();
    let mut told = false;
    while start.elapsed() < Duration::from_secs(20) {
        if interrupt.requested() && !told {
            told = true;
            writeln!(out, "\nasked").unwrap();
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn signal(child: &Child, name: &str) {
    let status = Command::new("kill")
        .args([name, &child.id().to_string()])
        .status();
    assert!(status.unwrap().success());
}

#[test]
fn the_first_signal_asks_and_the_second_ends() {
    if std::env::var_os(CHILD).is_some() {
        return child();
    }
    let mut process = Command::new(std::env::current_exe().unwrap())
        .arg("--nocapture")
        .env(CHILD, "1")
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(process.stdout.take().unwrap()).lines();
    let mut wait_for = |word: &str| assert!(lines.any(|line| line.unwrap() == word));
    wait_for("ready");
    signal(&process, "-TERM");
    wait_for("asked");
    signal(&process, "-INT");
    assert_eq!(process.wait().unwrap().code(), Some(130));
}
