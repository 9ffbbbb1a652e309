use std::fs;
use std::path::Path;

use model::{Checkpoint, Device, LearnConfig, Learner, ModelError, Optimiser, Outputs};

use crate::samples::{CONFIG, batch, learner, meta};

#[test]
fn a_resumed_learner_takes_the_same_steps() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("net");
    for optimiser in [Optimiser::AdamW, Optimiser::Sgd] {
        let config = LearnConfig {
            optimiser,
            ..CONFIG
        };
        let mut straight = learner(&config, 1);
        let mut stopped = learner(&config, 1);
        for step in 0..10 {
            let batch = batch(16, step);
            if step == 5 {
                save(&stopped, &path);
                let checkpoint = Checkpoint::load(&path).unwrap();
                assert_eq!((checkpoint.meta.steps, checkpoint.meta.positions), (5, 80));
                assert_eq!((checkpoint.meta.generation, checkpoint.meta.seed), (3, 5));
                assert_eq!(checkpoint.id(), stopped.checkpoint(meta()).id());
                stopped = Learner::restore(&checkpoint, &config, &Device::cpu()).unwrap();
            }
            assert_eq!(
                stopped.step(&batch).unwrap(),
                straight.step(&batch).unwrap()
            );
            assert_eq!(stopped.learning_rate(), straight.learning_rate());
        }
        assert_eq!(
            stopped.checkpoint(meta()).id(),
            straight.checkpoint(meta()).id()
        );
    }
    // Nothing but the checkpoint is left behind.
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn a_loaded_net_plays_as_the_saved_one() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("net");
    let mut learner = learner(&CONFIG, 1);
    let batch = batch(16, 1);
    for _ in 0..3 {
        learner.step(&batch).unwrap();
    }
    save(&learner, &path);
    let loaded = Checkpoint::load(&path)
        .unwrap()
        .play_net(&Device::cpu())
        .unwrap();
    let (mut a, mut b) = (Outputs::default(), Outputs::default());
    loaded.run(&batch.planes, 16, &mut a).unwrap();
    learner.play_net().run(&batch.planes, 16, &mut b).unwrap();
    assert_eq!(a, b);
    assert_eq!(loaded.parameters(), learner.play_net().parameters());
}

#[test]
fn another_optimiser_is_refused() {
    let checkpoint = learner(&CONFIG, 1).checkpoint(meta());
    let config = LearnConfig {
        optimiser: Optimiser::Sgd,
        ..CONFIG
    };
    let error = Learner::restore(&checkpoint, &config, &Device::cpu()).unwrap_err();
    assert!(error.to_string().contains("optimiser AdamW"), "{error}");
}

fn refusal(path: &Path, bytes: &[u8]) -> ModelError {
    fs::write(path, bytes).unwrap();
    let error = Checkpoint::load(path).unwrap_err();
    assert!(error.to_string().contains("net: "), "{error}");
    error
}

/// Saves a checkpoint and returns its bytes with the length of prefix and header.
fn saved(path: &Path) -> (Vec<u8>, usize) {
    save(&learner(&CONFIG, 1), path);
    let whole = fs::read(path).unwrap();
    let header = 24 + u32::from_le_bytes(whole[12..16].try_into().unwrap()) as usize;
    (whole, header)
}

#[test]
fn a_flipped_bit_anywhere_is_damage() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("net");
    let (whole, header) = saved(&path);
    // Every byte of prefix and header, and bytes all over the arrays.
    let arrays = (header..whole.len()).step_by(4999).chain([whole.len() - 1]);
    for at in (0..header).chain(arrays) {
        let mut bytes = whole.clone();
        bytes[at] ^= 0x10;
        let error = refusal(&path, &bytes);
        assert!(
            matches!(error, ModelError::Damaged { .. }),
            "byte {at}: {error}"
        );
    }
    fs::write(&path, &whole).unwrap();
    Checkpoint::load(&path).unwrap();
}

#[test]
fn a_file_of_another_length_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("net");
    let (whole, header) = saved(&path);
    for len in [9, 23, 24, header - 1, header, whole.len() - 1] {
        let error = refusal(&path, &whole[..len]);
        assert!(
            matches!(error, ModelError::WrongLength { .. }),
            "length {len}: {error}"
        );
    }
    let error = refusal(&path, &[&whole[..], b"x"].concat());
    assert!(matches!(error, ModelError::WrongLength { .. }));
}

#[test]
fn missing_foreign_and_newer_files_are_told_apart() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("net");
    assert!(matches!(
        Checkpoint::load(&path).unwrap_err(),
        ModelError::Missing { .. }
    ));
    assert!(matches!(
        Checkpoint::load(folder.path()).unwrap_err(),
        ModelError::Io { .. }
    ));
    for foreign in [
        &b""[..],
        b"SENPU",
        b"a text that is no checkpoint but long enough for one",
    ] {
        let error = refusal(&path, foreign);
        assert!(
            matches!(error, ModelError::NotACheckpoint { .. }),
            "{error}"
        );
    }
    let (mut newer, _) = saved(&path);
    newer[8] = 4;
    let crc = crc32fast::hash(&newer[..20]);
    newer[20..24].copy_from_slice(&crc.to_le_bytes());
    let error = refusal(&path, &newer);
    assert!(
        error.to_string().contains("format 4 is newer than the 3"),
        "{error}"
    );
}

/// Files of formats 1 and 2 are read as those that wrote them meant them: a net without `arch` is a tower, a shape without `policy_planes` has
/// no planes of actions.
#[test]
fn files_of_older_formats_play_and_learn_alike() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("net");
    let mut learner = learner(&CONFIG, 1);
    learner.step(&batch(16, 1)).unwrap();
    save(&learner, &path);
    let (current, batch) = (fs::read(&path).unwrap(), batch(16, 2));
    let play = |checkpoint: &Checkpoint| {
        let mut out = Outputs::default();
        let net = checkpoint.play_net(&Device::cpu()).unwrap();
        net.run(&batch.planes, 16, &mut out).unwrap();
        out
    };
    let expected = Checkpoint::load(&path).unwrap();
    for format in [1, 2] {
        fs::write(&path, as_format(&current, format)).unwrap();
        let old = Checkpoint::load(&path).unwrap();
        assert_eq!(old.meta, expected.meta, "format {format}");
        assert_eq!(play(&old), play(&expected), "format {format}");
        let step = |checkpoint| {
            let mut learner = Learner::restore(checkpoint, &CONFIG, &Device::cpu()).unwrap();
            learner.step(&batch).unwrap();
            learner.checkpoint(meta()).id()
        };
        assert_eq!(step(&old), step(&expected), "format {format}");
        // What is saved from it is of the current format again.
        assert!(old.to_bytes().unwrap() == current);
    }
}

/// Rewrites the header of a checkpoint as an older program wrote it.
fn as_format(current: &[u8], format: u32) -> Vec<u8> {
    let len = u32::from_le_bytes(current[12..16].try_into().unwrap()) as usize;
    let mut header: serde_json::Value = serde_json::from_slice(&current[24..24 + len]).unwrap();
    let meta = &mut header["meta"];
    let net = meta["net"].as_object_mut().unwrap();
    assert_eq!(net.remove("arch").unwrap(), "residual");
    if format == 1 {
        let shape = meta["shape"].as_object_mut().unwrap();
        assert_eq!(shape.remove("policy_planes").unwrap(), 0);
    }
    let header = serde_json::to_vec(&header).unwrap();
    let mut bytes = b"SENPUNET".to_vec();
    bytes.extend(format.to_le_bytes());
    bytes.extend((header.len() as u32).to_le_bytes());
    bytes.extend(crc32fast::hash(&header).to_le_bytes());
    bytes.extend(crc32fast::hash(&bytes).to_le_bytes());
    bytes.extend(header);
    bytes.extend(&current[24 + len..]);
    bytes
}

/// Writes a learner's checkpoint to a file.
fn save(learner: &Learner, path: &Path) {
    fs::write(path, learner.checkpoint(meta()).to_bytes().unwrap()).unwrap();
}
