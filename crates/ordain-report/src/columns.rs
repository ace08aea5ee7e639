//! A story as text: a column per thread while they fit side by side, else a list with the thread in front.

use crate::story::{Step, Story};
use std::fmt::Write;

/// Narrower columns are harder to read than a list.
const NARROWEST_COLUMN: usize = 26;
/// Of very long stories the beginning and, mostly, the end are shown.
const MOST_STEPS: usize = 160;
const STEPS_FROM_START: usize = 20;
/// Before a step that follows a switch of threads.
const SWITCH: &str = "=> ";
const NO_SWITCH: &str = "   ";
const SEPARATOR: &str = " | ";

pub fn render(story: &Story, width: usize) -> String {
    if story.steps.is_empty() {
        return String::new();
    }
    let columns = story.threads.len();
    let column_width = (width.saturating_sub(SWITCH.len()) / columns).saturating_sub(SEPARATOR.len());
    if columns > 1 && column_width < NARROWEST_COLUMN { list(story, width) } else { side_by_side(story, column_width) }
}

fn side_by_side(story: &Story, width: usize) -> String {
    let mut text = String::new();
    let line = |text: &mut String, gutter: &str, column: usize, cell: &str| {
        let mut row = gutter.to_owned();
        for i in 0..story.threads.len() {
            let cell = if i == column { cell } else { "" };
            let pad = width.saturating_sub(cell.chars().count());
            let _ =
                write!(row, "{cell}{}{}", " ".repeat(pad), if i + 1 < story.threads.len() { SEPARATOR } else { "" });
        }
        text.push_str(row.trim_end());
        text.push('\n');
    };
    let headings: Vec<String> = story.threads.iter().map(|t| format!("{:width$}", clip(t, width))).collect();
    let _ = writeln!(text, "{NO_SWITCH}{}", headings.join(SEPARATOR).trim_end());
    let rules = vec!["-".repeat(width); story.threads.len()];
    let _ = writeln!(text, "{NO_SWITCH}{}", rules.join("-+-"));
    for_each_step(story, |switch, step| match step {
        Ok(step) => {
            let gutter = if switch { SWITCH } else { NO_SWITCH };
            for (i, part) in cell(story, step, width).iter().enumerate() {
                line(&mut text, if i == 0 { gutter } else { NO_SWITCH }, step.thread, part);
            }
        }
        Err(skipped) => {
            let _ = writeln!(text, "{NO_SWITCH}... {skipped} steps left out ...");
        }
    });
    text
}

fn list(story: &Story, width: usize) -> String {
    let mut text = String::new();
    let label_width = story.threads.iter().map(|t| t.chars().count()).max().unwrap_or(0).min(24);
    for_each_step(story, |switch, step| match step {
        Ok(step) => {
            let gutter = if switch { SWITCH } else { NO_SWITCH };
            let label = clip(&story.threads[step.thread], label_width);
            let rest = width.saturating_sub(gutter.len() + label_width + 3);
            for (i, part) in cell(story, step, rest).iter().enumerate() {
                let _ = match i {
                    0 => writeln!(text, "{gutter}[{label:label_width$}] {part}"),
                    _ => writeln!(text, "{NO_SWITCH}{} {part}", " ".repeat(label_width + 2)),
                };
            }
        }
        Err(skipped) => {
            let _ = writeln!(text, "{NO_SWITCH}... {skipped} steps left out ...");
        }
    });
    text
}

/// Calls `show` with every step and whether it follows a switch, or with the number of steps left out.
fn for_each_step(story: &Story, mut show: impl FnMut(bool, Result<&Step, usize>)) {
    let steps = &story.steps;
    let skipped = steps.len().saturating_sub(MOST_STEPS);
    for (i, step) in steps.iter().enumerate() {
        if skipped > 0 && i == STEPS_FROM_START {
            show(false, Err(skipped));
        }
        if skipped == 0 || i < STEPS_FROM_START || i >= STEPS_FROM_START + skipped {
            show(i > 0 && steps[i - 1].thread != step.thread, Ok(step));
        }
    }
}

/// A step as lines of at most `width` characters: the source line, and below it what happened.
fn cell(story: &Story, step: &Step, width: usize) -> Vec<String> {
    let mark = if step.failing { "!" } else { " " };
    let place = match story.files.get(step.file as usize) {
        Some(file) => format!("{mark}{file}:{} ", step.line),
        None => format!("{mark}{:<4}", step.line),
    };
    let indent = " ".repeat(place.chars().count().min(width / 3));
    let mut lines = Vec::new();
    for (i, part) in wrap(&step.text, width.saturating_sub(place.chars().count())).into_iter().enumerate() {
        lines.push(format!("{}{part}", if i == 0 { &place } else { &indent }));
    }
    for detail in &step.details {
        let parts = wrap(detail, width.saturating_sub(indent.len() + 2));
        lines.extend(parts.iter().map(|part| format!("{indent}  {part}")));
    }
    lines
}

fn clip(text: &str, width: usize) -> String {
    if text.chars().count() <= width {
        return text.to_owned();
    }
    let kept: String = text.chars().take(width.saturating_sub(2)).collect();
    format!("{kept}..")
}

/// Breaks at blanks where possible.
fn wrap(text: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        let line = lines.last_mut().expect("starts with one line and only grows");
        if line.is_empty() {
            line.push_str(word);
        } else if line.chars().count() + 1 + word.chars().count() <= width {
            line.push(' ');
            line.push_str(word);
        } else {
            lines.push(word.to_owned());
        }
    }
    lines.iter().map(|line| clip(line, width)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn step(thread: usize, line: u32, text: &str, detail: &str) -> Step {
        let details = vec![detail.to_owned()];
        Step { thread, file: 0, line, text: text.to_owned(), details, failing: detail.starts_with("FAILS") }
    }

    fn story(threads: &[&str]) -> Story {
        Story {
            threads: threads.iter().map(|t| t.to_string()).collect(),
            files: vec![],
            steps: vec![step(0, 7, "x = 1;", "writes x = 1"), step(1, 12, "assert(!x);", "FAILS: assertion")],
        }
    }

    #[test]
    fn two_threads_stand_side_by_side_and_a_switch_is_marked() {
        let text = render(&story(&["0 main", "0.1 worker"]), 63);
        let expected = [
            "   0 main                      | 0.1 worker",
            "   ----------------------------+----------------------------",
            "    7   x = 1;                 |",
            "          writes x = 1         |",
            "=>                             | !12  assert(!x);",
            "                               |        FAILS: assertion",
        ];
        assert_eq!(text.lines().collect::<Vec<_>>(), expected);
    }

    #[test]
    fn no_line_is_wider_than_asked() {
        for width in [61, 80, 100, 120] {
            let text = render(&story(&["0 main", "0.1 worker"]), width);
            assert!(text.lines().all(|l| l.chars().count() <= width), "{text}");
        }
    }

    #[test]
    fn many_threads_become_a_list() {
        let text = render(&story(&["0 main", "0.1 a", "0.2 b", "0.3 c", "0.4 d"]), 100);
        assert!(text.contains("=> [0.1 a ] !12  assert(!x);"), "{text}");
    }

    #[test]
    fn long_words_are_clipped_and_long_details_wrapped() {
        assert_eq!(wrap("reads balance = 100, initial", 14), ["reads balance", "= 100, initial"]);
        assert_eq!(clip("abcdefgh", 5), "abc..");
    }
}
