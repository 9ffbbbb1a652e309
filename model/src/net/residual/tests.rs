use burn::tensor::TensorData;

use super::*;
use crate::device::Device;

const NET: ResidualConfig = ResidualConfig {
    channels: 6,
    blocks: 2,
    pool_every: 1,
    policy_channels: 3,
    value_channels: 4,
    value_hidden: 5,
};

/// Heads, and the gradient of their sum, of one net computed one way or the other.
fn computed(shape: Shape, lowered: bool) -> (Vec<f32>, Vec<f32>, Vec<f32>) {
    let layout = Layout::with_lowering(shape, &NET, lowered);
    // Every parameter at work, the zero ones included.
    let values: Vec<f32> = (0..layout.len)
        .map(|i| ((i * 37 % 101) as f32 - 50.0) / 200.0)
        .collect();
    let device = Device::cpu();
    let net = Net::new(&layout, &values, &device).learning();
    let batch = 5;
    let planes = (0..batch * shape.plane_len())
        .map(|i| (i * 13 % 7) as f32 / 7.0)
        .collect();
    let planes = TensorData::new::<f32, _>(planes, [batch, shape.plane_len()]);
    let heads = net.forward(Tensor::from_data(planes, &device.burn));
    let mut gradients = (heads.policy.clone().sum() + heads.value.clone().sum()).backward();
    let mut gradient = vec![0.0; layout.len];
    for (slot, matrix) in layout.slots.iter().zip(net.matrices()) {
        let values = matrix
            .grad_remove(&mut gradients)
            .unwrap()
            .try_into_vec_as()
            .unwrap();
        slot.gather
            .fold(&values, &mut gradient[slot.start..][..slot.len]);
    }
    let read = |tensor: Tensor<2>| tensor.try_into_vec_as().unwrap();
    (read(heads.policy), read(heads.value), gradient)
}

fn assert_close(a: &[f32], b: &[f32]) {
    assert_eq!(a.len(), b.len());
    let scale = a.iter().fold(0.0, |max: f32, x| max.max(x.abs()));
    for (i, (a, b)) in a.iter().zip(b).enumerate() {
        assert!((a - b).abs() <= 1e-4 * scale, "{i}: {a} and {b}");
    }
}

#[test]
fn one_product_over_the_board_is_burns_convolution() {
    let boards = [(3, 2, 0), (4, 3, 0), (1, 5, 0), (3, 2, 2), (2, 4, 5)];
    for (ranks, files, policy_planes) in boards {
        let shape = Shape {
            planes: 4,
            ranks,
            files,
            actions: (policy_planes * ranks * files).max(7),
            policy_planes,
        };
        let (matrix, convolution) = (computed(shape, true), computed(shape, false));
        assert_close(&matrix.0, &convolution.0);
        assert_close(&matrix.1, &convolution.1);
        assert_close(&matrix.2, &convolution.2);
    }
}

#[test]
fn small_boards_alone_are_lowered() {
    let shape = |ranks, files| Shape {
        planes: 4,
        ranks,
        files,
        actions: 7,
        policy_planes: 0,
    };
    assert!(Layout::new(shape(3, 2), &NET).lowered);
    assert!(!Layout::new(shape(9, 9), &NET).lowered);
}
