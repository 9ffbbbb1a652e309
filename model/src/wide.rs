//! Loops by the widest vectors of the processor.

/// Defines a function that is compiled for several generations of processors, of which the one that suits is called.
///
/// Loops in its body and in what is inlined into it become vectors; what it merely calls is compiled for the oldest processors, as everything else
/// is. What it computes is the same on all: no order of sums changes, and no product and sum become one.
macro_rules! wide {
    (
        $(#[$doc:meta])*
        $visibility:vis fn $name:ident<$life:lifetime>($($argument:ident: $kind:ty),+ $(,)?) $body:block
    ) => {
        $(#[$doc])*
        $visibility fn $name<$life>($($argument: $kind),+) {
            struct Work<$life> {
                $($argument: $kind),+
            }
            impl<$life> pulp::NullaryFnOnce for Work<$life> {
                type Output = ();

                #[allow(
                    clippy::inline_always,
                    reason = "what is not inlined is compiled for the oldest processors only"
                )]
                #[inline(always)]
                fn call(self) {
                    let Self { $($argument),+ } = self;
                    $body
                }
            }
            pulp::Arch::new().dispatch(Work { $($argument),+ });
        }
    };
}

pub(crate) use wide;
