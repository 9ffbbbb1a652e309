//! Every mistake in a config is shown where it was made.
#![allow(clippy::unwrap_used, reason = "a failed test says where")]

use std::path::Path;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use trainer::config_file::{self, ConfigError, ConfigFile};

#[derive(Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Root {
    seed: u64,
    #[serde(default)]
    name: String,
    selfplay: Selfplay,
}

#[derive(Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Selfplay {
    games: u32,
    threads: Option<u32>,
    sizes: Vec<u32>,
    search: Search,
    net: Net,
}

#[derive(Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Search {
    simulations: u32,
    noise: f32,
}

#[derive(Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "lowercase", deny_unknown_fields)]
enum Net {
    Residual { blocks: u32 },
    Sparse { width: u32 },
}

const TEXT: &str = "\
seed = 3
[selfplay]
games = 10
sizes = [1, 2]
[selfplay.search]
simulations = 64
noise = 0.25
[selfplay.net]
kind = \"residual\"
blocks = 4
";

fn parse(text: &str, sets: &[&str]) -> Result<Root, ConfigError> {
    let sets: Vec<_> = sets.iter().map(|&set| set.to_owned()).collect();
    config_file::from_text("run.toml", text, &sets)
}

fn fails(text: &str, sets: &[&str]) -> ConfigError {
    parse(text, sets).unwrap_err()
}

/// Returns the error as a terminal shows it, without colours.
fn shown(error: &ConfigError) -> String {
    let handler = miette::GraphicalReportHandler::new_themed(miette::GraphicalTheme::none());
    let mut text = String::new();
    handler.render_report(&mut text, error).unwrap();
    text
}

#[test]
fn a_good_config_is_read_and_written_out_again() {
    let root = parse(TEXT, &[]).unwrap();
    assert_eq!(root.selfplay.search.simulations, 64);
    let text = config_file::to_toml(&root).unwrap();
    assert_eq!(parse(&text, &[]).unwrap(), root);
}

#[test]
fn overrides_lie_over_the_file_the_last_on_top() {
    let sets = [
        "selfplay.games=3",
        "selfplay.search={simulations = 8}",
        "name=my run, 2nd",
        "selfplay.threads = 2",
        "selfplay.sizes=[7]",
        "selfplay.games=4",
    ];
    let root = parse(TEXT, &sets).unwrap();
    assert_eq!((root.selfplay.games, root.selfplay.threads), (4, Some(2)));
    assert_eq!(
        (root.selfplay.search.simulations, root.selfplay.search.noise),
        (8, 0.25)
    );
    assert_eq!(
        (root.name.as_str(), root.selfplay.sizes.as_slice()),
        ("my run, 2nd", &[7][..])
    );
}

#[test]
fn an_unknown_key_is_shown_with_what_may_be_meant() {
    let error = fails(&TEXT.replace("seed", "sead"), &[]);
    assert_eq!((error.line(), error.column()), (1, 1));
    assert_eq!(error.to_string(), "run.toml:1:1: unknown key `sead`");
    assert_eq!(error.help_text(), Some("did you mean `seed`?"));
    let error = fails(&TEXT.replace("noise", "  noize"), &[]);
    assert_eq!(
        error.to_string(),
        "run.toml:7:3: unknown key `selfplay.search.noize`"
    );
    assert_eq!(
        error.help_text(),
        Some("did you mean `selfplay.search.noise`?")
    );
    let text = shown(&error);
    assert!(
        text.contains("noize = 0.25") && text.contains("not a key of this table"),
        "{text}"
    );
}

#[test]
fn a_key_in_the_wrong_table_is_sent_to_the_right_one() {
    let error = fails(&format!("simulations = 5\n{TEXT}"), &[]);
    assert_eq!(error.to_string(), "run.toml:1:1: unknown key `simulations`");
    assert_eq!(
        error.help_text(),
        Some("did you mean `selfplay.search.simulations`?")
    );
    let error = fails(&format!("qqqq = 5\n{TEXT}"), &[]);
    assert_eq!(
        error.help_text(),
        Some("the keys of this table are seed, name, selfplay")
    );
}

#[test]
fn an_unknown_key_of_a_tagged_table_is_shown_itself() {
    let error = fails(&TEXT.replace("blocks", "blocs = 1\nblocks"), &[]);
    assert_eq!(
        error.to_string(),
        "run.toml:10:1: unknown key `selfplay.net.blocs`"
    );
    let error = fails(&TEXT.replace("residual", "residuel"), &[]);
    assert!(error.to_string().contains("selfplay.net"), "{error}");
    assert_eq!(error.help_text(), Some("did you mean `residual`?"));
}

#[test]
fn a_mistake_in_an_override_names_the_override() {
    let error = fails(TEXT, &["seed=4", "selfplay.gamez=3"]);
    assert_eq!(
        error.to_string(),
        "--set selfplay.gamez=3: unknown key `selfplay.gamez`"
    );
    assert_eq!(error.help_text(), Some("did you mean `selfplay.games`?"));
    assert_eq!(error.column(), 10);
    let error = fails(TEXT, &["selfplay.games=many", "seed=4"]);
    assert!(
        error
            .to_string()
            .starts_with("--set selfplay.games=many: `selfplay.games`: invalid type: string"),
        "{error}"
    );
    let text = shown(&error);
    assert!(
        text.contains("this value") && text.contains("selfplay.games=many"),
        "{text}"
    );
    let error = fails(TEXT, &["selfplay.sizes=[1, true]"]);
    assert!(
        error.to_string().starts_with("--set selfplay.sizes"),
        "{error}"
    );
    let error = fails(TEXT, &["seed.x=1"]);
    assert!(
        error
            .to_string()
            .starts_with("--set seed.x=1: `seed`: invalid type"),
        "{error}"
    );
    assert!(fails(TEXT, &["seed"]).to_string().contains("KEY=VALUE"));
    assert!(fails(TEXT, &["=3"]).to_string().contains("KEY=VALUE"));
}

#[test]
fn a_wrong_type_is_shown_at_its_value() {
    let error = fails(&TEXT.replace("games = 10", "games = \"ten\""), &[]);
    assert_eq!((error.line(), error.column()), (3, 9));
    assert!(
        error
            .to_string()
            .contains("`selfplay.games`: invalid type: string \"ten\", expected u32"),
        "{error}"
    );
    let error = fails(&TEXT.replace("games = 10", "games = -1"), &[]);
    assert_eq!(error.line(), 3);
    let error = fails(&TEXT.replace("[1, 2]", "[1, -2]"), &[]);
    assert_eq!((error.line(), error.column()), (4, 13));
}

#[test]
fn a_missing_key_names_its_section() {
    let error = fails(&TEXT.replace("noise = 0.25\n", ""), &[]);
    assert!(
        error
            .to_string()
            .contains("missing key `selfplay.search.noise`: [selfplay.search] needs it"),
        "{error}"
    );
    assert_eq!(error.line(), 5);
    let error = fails("seed = 1\n", &[]);
    assert!(
        error
            .to_string()
            .contains("missing key `selfplay`: the top level needs it"),
        "{error}"
    );
}

#[test]
fn what_is_no_toml_is_shown_where_it_stops_being_so() {
    let error = fails("seed = 3\n[selfplay\ngames = 1\n", &[]);
    assert_eq!(error.line(), 2);
    let error = fails("seed = 3\nseed = 4\n", &[]);
    assert_eq!(error.line(), 2);
    assert!(error.to_string().contains("duplicate"), "{error}");
    assert!(shown(&error).contains("seed = 4"));
}

#[test]
fn a_value_out_of_range_is_shown_where_it_is_set() {
    let sets = ["selfplay.games=0".to_owned()];
    let file = ConfigFile::new("run.toml", TEXT, &sets);
    let error = file.invalid("selfplay.search.noise", "must be at most 0.2");
    assert_eq!(
        error.to_string(),
        "run.toml:7:9: `selfplay.search.noise`: must be at most 0.2"
    );
    let error = file.invalid("selfplay.games", "must be at least 1");
    assert_eq!(
        error.to_string(),
        "--set selfplay.games=0: `selfplay.games`: must be at least 1"
    );
    let error = file.invalid("selfplay.sizes[1]", "must be 1");
    assert_eq!((error.line(), error.column()), (4, 13));
    for path in ["selfplay.sizes[2]", "selfplay.sizes[x]", "selfplay.sizes]"] {
        assert_eq!(file.invalid(path, "must be given").line(), 2);
    }
    let error = file.invalid("selfplay.threads", "must be given");
    assert_eq!(error.line(), 2);
}

#[test]
fn a_file_that_is_missing_is_named() {
    let error = config_file::load::<Root>(Path::new("/nowhere/x.toml"), &[]).unwrap_err();
    assert!(error.to_string().contains("/nowhere/x.toml"), "{error}");
    assert!(error.help_text().is_some());
}

#[test]
fn the_known_keys_are_those_of_every_table() {
    let keys = config_file::known_keys::<Root>();
    for key in [
        "seed",
        "selfplay",
        "selfplay.threads",
        "selfplay.search.noise",
        "selfplay.net.width",
    ] {
        assert!(keys.iter().any(|known| known == key), "{key} of {keys:?}");
    }
    assert_eq!(config_file::schema::<Root>()["type"], "object");
}
