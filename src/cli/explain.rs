//! `drover match explain`.

use super::database::found;
use super::output::{Format, table, write_rows};
use super::replay::time;
use super::seat_arg::SeatArg;
use super::usage::UsageError;
use crate::history;
use crate::plain::plain_line;
use crate::referee::budget::ThinkBudget;
use crate::replay::{
    BotSeat, Decision, ExplainError, Explained, NODES_DEFAULT, NODES_MAX, THINKS_MAX, bot_session,
};
use crate::store::{EntryId, SessionId, Store};
use std::io::Write;

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The match.
    id: String,
    /// The seat, from 1: one that our bot played.
    #[arg(long, required_unless_present = "session")]
    seat: Option<SeatArg>,
    /// The session, where several of our bots played: `drover match show` lists them.
    #[arg(long, value_name = "N")]
    session: Option<i64>,
    /// The entry that asked for the decision, by its number in the log.
    #[arg(long, value_name = "N")]
    entry: Option<i64>,
    #[arg(long, default_value_t = ThinkBudget::Nodes(NODES_DEFAULT), help = format!(
        "How long it thinks again, in nodes, at most {NODES_MAX}n and {} s", THINKS_MAX.as_secs()
    ))]
    budget: ThinkBudget,
    /// The output format.
    #[arg(long, value_enum, default_value_t)]
    output: Format,
}

pub(super) async fn run(store: &Store, args: &Args, out: &mut impl Write) -> anyhow::Result<()> {
    let nodes = match args.budget {
        ThinkBudget::Nodes(nodes) if nodes <= NODES_MAX => nodes,
        budget => {
            let why = format!("--budget {budget}: it takes 1n to {NODES_MAX}n");
            return Err(UsageError(why).into());
        }
    };
    let row = found(store, &args.id).await?;
    let sessions = history::sessions_of(store.reader(), &row.id).await?;
    let among = |seat: SeatArg| seat.among(&row.id, row.seats.iter().map(|row| row.seat));
    let seat = args.seat.map(among).transpose()?;
    let session = bot_session(&row.id, sessions, seat, args.session.map(SessionId));
    let session = session.map_err(ExplainError::for_people)?;
    let seat = BotSeat::read(store, &session).await?;
    let seat = seat.open(&row, &session);
    // Nothing else runs in this process meanwhile.
    match args.entry.map(EntryId) {
        None => list(&seat.decisions()?, args.output, out),
        Some(entry) => {
            let explained = seat.explain(entry, nodes);
            show(
                &explained.map_err(ExplainError::for_people)?,
                args.output,
                out,
            )
        }
    }
}

fn list(decisions: &[Decision], output: Format, out: &mut impl Write) -> anyhow::Result<()> {
    let ms = |ms: Option<f64>| ms.map_or_else(String::new, |ms| format!("{ms:.1}"));
    let row = |decision: &Decision| {
        let wire = on_one_line(decision.said.as_deref().unwrap_or_default());
        let words = plain_line(&decision.words);
        let mut row = vec![
            decision.entry.0.to_string(),
            time(decision.at_us),
            ms(decision.took_ms),
            ms(decision.thought_ms),
            decision.note.clone(),
        ];
        // What is said on the wire is for programs.
        match output {
            Format::Table => row.push(words),
            _ => row.extend([wire, words]),
        }
        row
    };
    let rows: Vec<Vec<String>> = decisions.iter().map(row).collect();
    let headings = [
        "entry",
        "at",
        "took_ms",
        "thought_ms",
        "note",
        "said",
        "words",
    ];
    let shown = headings.len() - usize::from(output == Format::Table);
    let headings = headings.get(..shown).unwrap_or_default();
    Ok(write_rows(out, output, headings, &rows, &decisions)?)
}

fn show(explained: &Explained, output: Format, out: &mut impl Write) -> anyhow::Result<()> {
    let explanation = &explained.explanation;
    let number = |value: Option<f64>| value.map_or_else(String::new, |value| format!("{value:.4}"));
    let candidates = explanation.candidates.iter().map(|candidate| {
        let visits = candidate.visits;
        vec![
            if candidate.chosen { "*" } else { "" }.to_owned(),
            number(candidate.value),
            number(candidate.error),
            visits.map_or_else(String::new, |visits| visits.to_string()),
            match output {
                Format::Table => plain_line(&candidate.words),
                _ => on_one_line(&candidate.act),
            },
            candidate.plan.clone(),
        ]
    });
    let candidates: Vec<Vec<String>> = candidates.collect();
    let mark = if output == Format::Csv { "chosen" } else { "" };
    let headings = [mark, "value", "error", "visits", "act", "plan"];
    if output != Format::Table {
        return Ok(write_rows(out, output, &headings, &candidates, explained)?);
    }
    let Decision { words, note, .. } = &explained.decision;
    let remark = |holds: bool, remark: &str| match holds {
        true => format!("  ({remark})"),
        false => String::new(),
    };
    let said = plain_line(words) + &remark(!note.is_empty(), note);
    writeln!(out, "bot    {} {}", explained.game, explained.bot)?;
    writeln!(out, "said   {said}")?;
    let other = "not the same: what it drew, kept and had time for then is not known";
    let now = plain_line(&explanation.words) + &remark(!explained.same, other);
    writeln!(out, "now    {now}")?;
    let stopped = format!("stopped after {} s", THINKS_MAX.as_secs());
    let stopped = remark(explained.out_of_time, &stopped);
    writeln!(out, "nodes  {}{stopped}", explanation.nodes)?;
    writeln!(out, "why    {}", explanation.summary)?;
    if !candidates.is_empty() {
        writeln!(out, "\nvalues: {}", explained.value_unit)?;
        out.write_all(table(&headings, &candidates).as_bytes())?;
    }
    let beliefs = explanation.beliefs.iter().map(|belief| {
        let (low, high) = (number(belief.low), number(belief.high));
        let value = number(Some(belief.value));
        let (about, what, unit) = (&belief.who, &belief.what, &belief.unit);
        vec![about.clone(), what.clone(), value, low, high, unit.clone()]
    });
    let beliefs: Vec<Vec<String>> = beliefs.collect();
    if !beliefs.is_empty() {
        let headings = ["about", "belief", "value", "low", "high", "unit"];
        writeln!(out)?;
        out.write_all(table(&headings, &beliefs).as_bytes())?;
    }
    Ok(())
}

/// A text as one line, its line ends shown.
pub(super) fn on_one_line(text: &str) -> String {
    let text = text.trim_end_matches('\n').replace('\n', " / ");
    plain_line(&text)
}
