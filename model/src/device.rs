//! Where nets are computed. The only place that knows which backends are compiled in.

use std::fmt;
use std::str::FromStr;

use crate::error::ModelError;

/// A device on which nets are computed.
#[derive(Clone, Debug)]
pub struct Device {
    name: &'static str,
    pub(crate) burn: burn::prelude::Device,
}

impl Device {
    /// The names of the devices that are compiled in.
    pub const NAMES: &[&str] = &[
        "cpu",
        #[cfg(feature = "wgpu")]
        "wgpu",
        #[cfg(feature = "vulkan")]
        "vulkan",
        #[cfg(feature = "cuda")]
        "cuda",
    ];

    /// Returns the processor, by burn's pure Rust backend.
    pub fn cpu() -> Self {
        Self {
            name: "cpu",
            burn: burn::prelude::Device::flex(),
        }
    }

    /// Returns the name by which configs and the command line call the device.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Returns the name of the kernels by which the device computes here: nets played with other kernels differ in their last bits.
    ///
    /// On the processor burn chooses by the widest vectors there are, and so does this name.
    pub fn kernels(&self) -> &'static str {
        if self.name != "cpu" {
            return self.name;
        }
        #[cfg(target_arch = "x86_64")]
        {
            if is_x86_feature_detected!("avx512f") {
                return "flex-avx512";
            }
            if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
                return "flex-avx2";
            }
        }
        if cfg!(target_arch = "aarch64") {
            "flex-neon"
        } else {
            "flex-portable"
        }
    }

    /// Returns how many positions are evaluated at once at most.
    pub(crate) fn chunk(&self) -> usize {
        // On the processor small enough for its products to stay on the calling thread (chunks are spread over threads instead).
        if self.name == "cpu" { 32 } else { 256 }
    }

    /// Tells whether this is the processor.
    pub(crate) fn is_processor(&self) -> bool {
        self.name == "cpu"
    }

    /// Returns how many samples of a batch have their gradient computed together at most.
    pub(crate) fn shard(&self) -> usize {
        // On the processor few enough for a usual batch to keep several threads busy.
        if self.name == "cpu" { 128 } else { usize::MAX }
    }

    /// Returns the number of rows to which `size` positions, a chunk or less, are padded.
    ///
    /// A matrix product may round differently for another number of rows, but results must not depend on the batch that a position happens
    /// to be in. The processor's kernels sum in the same order for any multiple of 8 rows up to a chunk (tests hold them to it); elsewhere
    /// kernels are chosen by size, so there is one size only.
    pub(crate) fn padded(&self, size: usize) -> usize {
        if self.name == "cpu" {
            size.next_multiple_of(8)
        } else {
            self.chunk()
        }
    }
}

impl FromStr for Device {
    type Err = ModelError;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        #[cfg(any(feature = "wgpu", feature = "vulkan"))]
        use burn::tensor::DeviceKind;
        match name {
            "cpu" => Ok(Self::cpu()),
            #[cfg(feature = "wgpu")]
            "wgpu" => Ok(Self {
                name: "wgpu",
                burn: burn::prelude::Device::wgpu(DeviceKind::DefaultDevice),
            }),
            #[cfg(feature = "vulkan")]
            "vulkan" => Ok(Self {
                name: "vulkan",
                burn: burn::prelude::Device::vulkan(DeviceKind::DefaultDevice),
            }),
            #[cfg(feature = "cuda")]
            "cuda" => Ok(Self {
                name: "cuda",
                burn: burn::prelude::Device::cuda(0_usize),
            }),
            _ => Err(ModelError::UnknownDevice {
                name: name.to_owned(),
                known: Self::NAMES.join(", "),
            }),
        }
    }
}

impl fmt::Display for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_device_lists_those_compiled_in() {
        assert_eq!("cpu".parse::<Device>().unwrap().to_string(), "cpu");
        let error = "abacus".parse::<Device>().unwrap_err().to_string();
        assert!(error.starts_with("unknown device `abacus`: expected one of cpu"));
    }
}
