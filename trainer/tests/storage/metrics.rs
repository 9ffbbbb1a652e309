use std::fs;
use std::path::Path;
use std::sync::Arc;

use serde_json::json;
use tempfile::tempdir;
use trainer::durable::RealDisk;
use trainer::metrics::{self, Metrics, MetricsError};
use trainer::notice::Notice;

fn open(path: &Path) -> (Metrics, Vec<Notice>) {
    Metrics::open(Arc::new(RealDisk), path).unwrap()
}

#[test]
fn a_torn_last_line_is_cut_off() {
    let dir = tempdir().unwrap();
    let path = dir.path().join("metrics.jsonl");
    let (mut log, _) = open(&path);
    log.append(&json!({"generation": 0, "loss": 1.5})).unwrap();
    log.append(&json!({"generation": 1})).unwrap();
    log.sync().unwrap();
    drop(log);
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, format!("{text}{{\"generation\": 2, \"lo")).unwrap();
    assert_eq!(metrics::read(&path).unwrap().len(), 2);
    let (mut log, notices) = open(&path);
    assert!(
        matches!(notices[..], [Notice::TornTail { bytes: 21, .. }]),
        "{notices:?}"
    );
    assert_eq!(fs::read_to_string(&path).unwrap(), text);
    log.append(&json!({"generation": 2})).unwrap();
    assert_eq!(metrics::read(&path).unwrap()[2], json!({"generation": 2}));
    assert_eq!(open(&path).1, []);
}

#[test]
fn going_back_drops_later_lines_only() {
    let dir = tempdir().unwrap();
    let path = dir.path().join("metrics.jsonl");
    let (mut log, _) = open(&path);
    for generation in 0..5 {
        log.append(&json!({"generation": generation})).unwrap();
        log.append(&json!({"note": "without"})).unwrap();
    }
    let notices = log.rewind_to(2).unwrap();
    assert!(matches!(&notices[..], [Notice::Rewound { dropped, .. }] if dropped == "2 lines"));
    log.append(&json!({"generation": 3, "again": true}))
        .unwrap();
    let lines = metrics::read(&path).unwrap();
    assert_eq!(lines.len(), 9);
    assert_eq!(lines[8]["again"], true);
    assert_eq!(log.rewind_to(7).unwrap(), []);
}

#[test]
fn a_bad_line_is_named() {
    let dir = tempdir().unwrap();
    let path = dir.path().join("metrics.jsonl");
    fs::write(&path, "{\"generation\":0}\nnonsense\n{\"generation\":1}\n").unwrap();
    let error = metrics::read(&path).unwrap_err();
    assert!(matches!(error, MetricsError::Line { line: 2, .. }));
    let (mut log, _) = open(&path);
    let notices = log.rewind_to(0).unwrap();
    assert!(matches!(
        notices[..],
        [Notice::BadLine { line: 2, .. }, Notice::Rewound { .. }]
    ));
    assert!(log.append(&3).is_err());
}
