//! Whether an answer is legal in form: whether the referee's own reader takes it, whatever the rules say.

use crate::koehandel::dialect::{Fields, read_answer};
use crate::koehandel::rules::{Act, Ask, Money};
use crate::lighthouses::rules::{Chart, Point};
use crate::{koehandel, lighthouses, planetwars, planowanie, smartdog};

/// Checks an answer to a message of this game. An empty one is legal where the message does not ask, or
/// the wire has it.
///
/// # Errors
/// A sentence that says what a reader would not take.
pub fn in_form(game: &str, message: &[u8], answer: &str) -> Result<(), String> {
    if answer.is_empty() {
        return Ok(());
    }
    match game {
        "koehandel" => of_koehandel(answer),
        "smartdog" => of_smartdog(answer),
        "planowanie" => of_planowanie(message, answer),
        "lighthouses" => of_lighthouses(message, answer),
        "planetwars" => of_planetwars(answer),
        _ => Err(format!("{game} has no reader of answers here")),
    }
}

fn of_koehandel(answer: &str) -> Result<(), String> {
    let body = answer.as_bytes();
    let unread = || format!("{answer:?} is no answer");
    let fields = Fields::cut(body).map_err(|why| why.to_string())?;
    if answer.len() > koehandel::dialect::FRAME_MAX || !fields.any() {
        return Err(unread());
    }
    let turn = read_answer(&Ask::Turn, body);
    let payee = koehandel::cards::Compass::W;
    let cards = read_answer(&Ask::Pay { payee, price: 0 }, body);
    match (fields.kind(), turn, cards) {
        ("auction", Some(Act::Auction), _) => Ok(()),
        ("trade", Some(Act::Trade { offer, .. }), _) if offer != Money::Garbage => Ok(()),
        // Sums of coins and lists of cards are the same letters.
        ("", _, Some(Act::Cards(Money::Cards(_)))) => Ok(()),
        _ => amount(&fields).then_some(()).ok_or_else(unread),
    }
}

fn amount(fields: &Fields<'_>) -> bool {
    let money = fields.money().unwrap_or_default();
    let letter = |byte: u8| byte.is_ascii_alphanumeric();
    fields.kind().is_empty() && !money.is_empty() && money.bytes().all(letter)
}

fn of_smartdog(answer: &str) -> Result<(), String> {
    use smartdog::dialect::{Line, hear};
    let mut lines = answer.lines().map(hear).peekable();
    while let Some(line) = lines.next() {
        let last = lines.peek().is_none();
        let legal = match line {
            Line::Join { .. } => last,
            Line::End => last,
            Line::Move { dog, direction, .. } => {
                !last && dog.parse::<u64>().is_ok() && direction.is_some()
            }
            Line::Bark { dog } => !last && dog.parse::<u64>().is_ok(),
            Line::Do { .. } | Line::Other { .. } => false,
        };
        if !legal {
            return Err(format!("{line:?} is no order, or does not end a turn"));
        }
    }
    Ok(())
}

fn of_planowanie(message: &[u8], answer: &str) -> Result<(), String> {
    use planowanie::dialect::{Command, REPLY_LINE_MAX, hear, read, tricks};
    let asked = read(message);
    let Some((first, "")) = answer.split_once('\n') else {
        return Err(format!("{answer:?} is not one line with its end"));
    };
    if first.len() > REPLY_LINE_MAX {
        return Err(format!("a line of {} bytes", first.len()));
    }
    let said = hear(first).ok_or_else(|| format!("{first:?} is neither yes nor no"))?;
    let id = asked.id.unwrap_or_default();
    let payload = said.payload.strip_prefix(&id).unwrap_or(&said.payload);
    let one_word = payload.split_whitespace().count() == 1;
    let legal = match asked.command {
        Ok(Command::GenDeclare) => said.yes && tricks(payload.trim(), false).is_some(),
        Ok(Command::GenMove) => said.yes && one_word,
        _ => true,
    };
    legal
        .then_some(())
        .ok_or_else(|| format!("{first:?} is no answer"))
}

fn of_lighthouses(message: &[u8], answer: &str) -> Result<(), String> {
    use lighthouses::dialect::engine;
    if String::from_utf8_lossy(message).contains("\"player_num\"") {
        let greeted = engine::greeting(answer.as_bytes());
        return greeted.map(drop).map_err(|why| why.to_string());
    }
    let chart = Chart::new(1, vec![true], &[Point { x: 0, y: 0 }]);
    match engine::command(&chart, answer.as_bytes()) {
        Ok(Ok(_)) => Ok(()),
        Ok(Err(why)) => Err(why),
        Err(why) => Err(why.to_string()),
    }
}

fn of_planetwars(answer: &str) -> Result<(), String> {
    use planetwars::dialect::judge::{Line, Lines, line};
    let mut ended = false;
    for text in answer.lines() {
        if ended {
            return Err(format!("{text:?} after the end"));
        }
        let said = line(text.as_bytes(), Lines::Strict).map_err(|offence| offence.why)?;
        ended = said == Line::End;
    }
    ended
        .then_some(())
        .ok_or_else(|| "it has no end".to_owned())
}
