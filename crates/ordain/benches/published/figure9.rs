//! Figure 9: two threads in a loop of N rounds, every one of which has to be interrupted at the same place.

use crate::support::Case;
use crate::table::{Row, Table, case};

/// Rounds, and: runs of Con2colic (with whether the bug was found), its time, paths of MPC, its time.
const PUBLISHED: [(u32, [&str; 4]); 5] = [
    (1, ["5 yes", "0.2 s", "4", "0.1 s"]),
    (2, ["12 yes", "1 s", "6", "0.4 s"]),
    (3, ["123 yes", "407 s", "10", "0.7 s"]),
    (4, ["462 no", "> 3600 s", "18", "1.6 s"]),
    (5, ["697 no", "> 3600 s", "34", "4.3 s"]),
];
/// Beyond what was published.
const MANY_ROUNDS: u32 = 20;

pub fn tables() -> Vec<Table> {
    let base = case("tests/programs", "figure9/n1");
    let with_rounds = |rounds: u32| {
        let (name, cflags) = (format!("N = {rounds}"), Some(format!("-DN={rounds}")));
        Case { name, cflags, ..base.clone() }
    };
    let published = PUBLISHED.into_iter();
    let mut rows: Vec<Row> =
        published.map(|(n, cells)| Row { published: cells.to_vec(), case: with_rounds(n), paths: true }).collect();
    rows.push(Row { published: Vec::new(), case: with_rounds(MANY_ROUNDS), paths: false });
    let columns = &["Con2colic", "", "MPC", ""];
    vec![Table { title: "Figure 9 (runs and time of Con2colic, paths and time of MPC)", published: columns, rows }]
}
