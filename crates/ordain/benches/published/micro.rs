//! Table 1: the micro-benchmark M_k, with k extra threads, and racey.

use crate::support::Case;
use crate::table::{Row, Table, case};

/// Extra threads, and: paths found by MCR and by the two strategies of MPC (with whether the bug was among them), the time
/// of each.
const PUBLISHED: [(u32, [&str; 6]); 6] = [
    (0, ["3 yes", "6 no", "10 yes", "14.49 s", "0.31 s", "0.79 s"]),
    (1, ["3 yes", "12 no", "16 yes", "133.33 s", "0.71 s", "1.55 s"]),
    (3, ["1 no", "48 no", "52 yes", "> 3600 s", "2.98 s", "5.43 s"]),
    (5, ["1 no", "192 no", "196 yes", "> 3600 s", "16.23 s", "38.11 s"]),
    (7, ["1 no", "768 no", "772 yes", "> 3600 s", "90.28 s", "830.01 s"]),
    (9, ["1 no", "3072 no", "2462 no", "> 3600 s", "507.32 s", "> 3600 s"]),
];
const RACEY: [&str; 6] = ["432 yes", "432 yes", "432 yes", "1132.51 s", "267.83 s", "459.65 s"];
/// Beyond what was published.
const MANY_THREADS: u32 = 100;

pub fn tables() -> Vec<Table> {
    let base = case("tests/programs", "micro/k0");
    let with_threads = |threads: u32| {
        let (name, cflags) = (format!("M_{threads}"), Some(format!("-DK={threads}")));
        Case { name, cflags, most_runs: None, ..base.clone() }
    };
    let published = PUBLISHED.into_iter();
    let mut rows: Vec<Row> =
        published.map(|(k, cells)| Row { published: cells.to_vec(), case: with_threads(k), paths: true }).collect();
    rows.push(Row { published: Vec::new(), case: with_threads(MANY_THREADS), paths: false });
    rows.push(Row { published: RACEY.to_vec(), case: case("bench", "racey/racey"), paths: true });
    let columns = &["MCR", "MPC-S1", "MPC-S2", "MCR", "MPC-S1", "MPC-S2"];
    vec![Table { title: "Table 1: tricky bugs (paths and whether the bug was found, time)", published: columns, rows }]
}
