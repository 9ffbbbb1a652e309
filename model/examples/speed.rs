//! Measures inference and learning on gufu: `speed [CHANNELS] [BLOCKS]`.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a measuring program"
)]

use std::time::Instant;

use model::{
    Batch, Device, Encoder, GufuEncoder, LearnConfig, Learner, NetConfig, Optimiser, Outputs,
};

fn main() {
    let mut args = std::env::args()
        .skip(1)
        .map(|arg| arg.parse::<usize>().unwrap());
    let net = NetConfig {
        channels: args.next().unwrap_or(64),
        blocks: args.next().unwrap_or(3),
        pool_every: 2,
        policy_channels: 16,
        value_channels: 16,
        value_hidden: 64,
    };
    let config = LearnConfig {
        optimiser: Optimiser::AdamW,
        learning_rate: 1e-3,
        warmup_positions: 0,
        schedule_positions: 0,
        final_learning_rate: 1e-3,
        weight_decay: 1e-4,
        momentum: 0.9,
        gradient_norm: 1.0,
        average_decay: 0.99,
        policy_weight: 1.0,
        value_weight: 1.0,
        moves_left_weight: 0.1,
    };
    let shape = GufuEncoder.shape();
    let mut learner = Learner::new(shape, &net, &config, 1, &Device::cpu()).unwrap();
    let play = learner.play_net();
    println!("parameters {}", play.parameters());
    for size in [1, 8, 32, 128, 1024] {
        let planes: Vec<f32> = (0..size * shape.plane_len())
            .map(|i| (i % 7 == 0) as u8 as f32)
            .collect();
        let work = || {
            let (mut out, mut done, start) = (Outputs::default(), 0, Instant::now());
            while start.elapsed().as_secs_f64() < 1.0 {
                play.run(&planes, size, &mut out).unwrap();
                done += size;
            }
            done as f64 / start.elapsed().as_secs_f64()
        };
        let (a, b) = rayon::join(work, work);
        let alone = work();
        println!(
            "inference batch {size}: two tasks {:.0}/s, one caller {alone:.0}/s",
            a + b
        );
    }
    for size in [128, 512, 2048] {
        let mut batch = Batch::new(shape, size);
        for (i, plane) in batch.planes.iter_mut().enumerate() {
            *plane = (i % 7 == 0) as u8 as f32;
        }
        batch.legal.fill(1.0);
        batch.policy.fill(1.0 / shape.actions as f32);
        batch.wdl.fill(1.0 / 3.0);
        batch.moves_left_weight.fill(1.0);
        let (mut done, start) = (0, Instant::now());
        while start.elapsed().as_secs_f64() < 2.0 {
            learner.step(&batch).unwrap();
            done += size;
        }
        println!(
            "learner batch {size}: {:.0} samples/s",
            done as f64 / start.elapsed().as_secs_f64()
        );
    }
}
