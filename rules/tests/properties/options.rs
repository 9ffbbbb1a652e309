//! Rule options: any that are in range, and their text.

use proptest::prelude::*;
use rules::variants::showgit::Showgit;
use rules::{Chase, Declaration, RuleOptions, Variant, ZoneStart};

use crate::budget::hold;
use crate::mutation::{edited, edits};

/// Rule options in their range, mostly such as end games soon.
pub(crate) fn options() -> impl Strategy<Value = RuleOptions> {
    let ply_cap = prop_oneof![1..=250_u32, Just(10_000)];
    let no_progress = prop_oneof![Just(0), 1..=60_u32];
    (2..=5_u32, ply_cap, no_progress, any::<[bool; 3]>()).prop_map(
        |(repetitions, ply_cap, no_progress, [chase, declaration, zone])| RuleOptions {
            repetitions,
            ply_cap,
            no_progress,
            chase: if chase { Chase::Axf } else { Chase::None },
            declaration: if declaration {
                Declaration::Csa27
            } else {
                Declaration::Off
            },
            zone_start_promotion: if zone {
                ZoneStart::Optional
            } else {
                ZoneStart::Mandatory
            },
        },
    )
}

#[test]
fn options_are_read_as_they_are_written_and_damaged_ones_refused() {
    hold(file!(), 1_000, &(options(), edits()), |(options, edits)| {
        let text = serde_json::to_string(&options).unwrap();
        prop_assert_eq!(serde_json::from_str::<RuleOptions>(&text).unwrap(), options);
        prop_assert_eq!(options.validate(), Ok(()));
        if let Ok(read) = serde_json::from_str::<RuleOptions>(&edited(&text, &edits)) {
            let again = serde_json::to_string(&read).unwrap();
            prop_assert_eq!(serde_json::from_str::<RuleOptions>(&again).unwrap(), read);
        }
        Ok(())
    });
}

#[test]
fn options_out_of_range_are_refused() {
    hold(
        file!(),
        1_000,
        &(any::<[u32; 3]>(), 0..8_usize),
        |(numbers, small)| {
            let number = |place: usize| {
                if small >> place & 1 == 1 {
                    numbers[place] % 12_000
                } else {
                    numbers[place]
                }
            };
            let options = RuleOptions {
                repetitions: number(0),
                ply_cap: number(1),
                no_progress: number(2),
                ..Showgit::OPTIONS
            };
            let good = number(0) >= 2 && (1..=10_000).contains(&number(1)) && number(2) <= 10_000;
            prop_assert_eq!(options.validate().is_ok(), good);
            Ok(())
        },
    );
}
