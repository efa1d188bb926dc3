//! The filters of `drover match list`: those of `GET /api/v1/matches`, under the same names.

use crate::api;
use crate::history::Filter;
use clap::error::ErrorKind;
use clap::{Arg, ArgMatches, Args, Command, Error, FromArgMatches};

/// The matches that are wanted.
#[derive(Clone, Debug, Default)]
pub(super) struct MatchFilters(pub(super) Filter);

impl Args for MatchFilters {
    fn augment_args(command: Command) -> Command {
        let arg = |(name, about): (&'static str, String)| {
            let about = about.trim_end_matches('.').replace('`', "");
            Arg::new(name).long(name).help(about)
        };
        command.args(api::match_filters().map(arg))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for MatchFilters {
    fn from_arg_matches(given: &ArgMatches) -> Result<Self, Error> {
        let value = |(name, _)| Some((name, given.get_one::<String>(name)?.clone()));
        let filter = api::match_filter(api::match_filters().filter_map(value));
        filter.map(Self).map_err(|problem| {
            Error::raw(ErrorKind::InvalidValue, format!("--{}", problem.detail()))
        })
    }

    fn update_from_arg_matches(&mut self, given: &ArgMatches) -> Result<(), Error> {
        *self = Self::from_arg_matches(given)?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::MatchFilters;
    use crate::history::{Filter, Standing};
    use crate::store::Side;
    use clap::{Args as _, Command, FromArgMatches as _};
    use games::Cause;

    fn read(words: &[&str]) -> Result<Filter, clap::Error> {
        let command = MatchFilters::augment_args(Command::new("list"));
        let given = command.try_get_matches_from([&["list"], words].concat())?;
        Ok(MatchFilters::from_arg_matches(&given)?.0)
    }

    #[test]
    fn matches_are_listed_by_whatever_rest_lists_them_by() {
        let words = [
            ["--game", "koehandel"],
            ["--bot", "champion"],
            ["--opponent", "alice"],
            ["--referee", "localhost"],
            ["--market", "12"],
            ["--side", "player"],
            ["--tournament", "01K3ZQ4T5V6W7X8Y9Z0A1B2C3D"],
            ["--entrant", "ann"],
            ["--outcome", "won"],
            ["--cause", "normal"],
            ["--since", "1970-01-01T00:00:01Z"],
            ["--until", "1970-01-01T00:00:02.5Z"],
        ];
        let filter = read(&words.concat()).unwrap();
        assert_eq!(filter.game.as_deref(), Some("koehandel"));
        assert_eq!(filter.entrant.as_deref(), Some("ann"));
        assert_eq!((filter.market, filter.side), (Some(12), Some(Side::Player)));
        assert_eq!(filter.outcome, Some(Standing::Won));
        assert_eq!(filter.cause, Some(Cause::Normal));
        let times = (filter.since_us, filter.until_us);
        assert_eq!(times, (Some(1_000_000), Some(2_500_000)));
        let none = read(&[]).unwrap();
        assert!(none.game.is_none() && none.outcome.is_none());
        for (words, message) in [
            (["--outcome", "drawn"], "it takes live, won, tied, lost"),
            (["--cause", "boredom"], "--cause is \"boredom\""),
            (["--since", "yesterday"], "such as 2026-01-31T12:00:00Z"),
            (["--nonsense", "x"], "unexpected argument"),
        ] {
            let refused = read(&words).unwrap_err();
            assert_eq!(refused.exit_code(), 2);
            assert!(refused.to_string().contains(message), "{refused}");
        }
    }
}
