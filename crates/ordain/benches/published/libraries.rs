//! Table 2: libraries, with the paper's numbers of threads, attempts and rounds; then the same with seeded bugs and under
//! other memory models, which the paper does not have.

use crate::table::{Row, Table, rows_of};

const DIRECTORY: &str = "bench/libraries";

/// Cases, and: setting, paths of MCR and MPC, times of MCR and MPC.
const PUBLISHED: [(&str, [&str; 5]); 7] = [
    ("dekker/dekker1", ["T=2 P=20", "729", "929", "133.34 s", "84.47 s"]),
    ("dekker/dekker2", ["T=2 P=30", "2623", "2970", "772.34 s", "346.23 s"]),
    ("spinlock/spinlock1", ["T=2 K=5", "363", "522", "949.16 s", "66.38 s"]),
    ("spinlock/spinlock2", ["T=3 K=3", "375", "1357", "1253.72 s", "208.47 s"]),
    ("linux_rwlock/linuxrwlock", ["T=2 K=5", "116", "1910", "> 3600 s", "2108.39 s"]),
    ("ms_queue/msqueue", ["T=2 K=5", "152", "539", "> 3600 s", "246.12 s"]),
    ("seqlock/seqlock", ["T=3 K=3", "204", "3877", "> 3600 s", "782.51 s"]),
];

pub fn tables() -> Vec<Table> {
    let (rows, others) = rows_of(DIRECTORY, &PUBLISHED);
    vec![
        Table {
            title: "Table 2: libraries (setting, paths, time)",
            published: &["setting", "MCR", "MPC", "MCR", "MPC"],
            rows,
        },
        Table {
            title: "The same libraries: smaller, with seeded bugs, under other memory models",
            published: &["memory"],
            rows: others
                .into_iter()
                .map(|case| Row { published: vec![memory(&case.memory)], case, paths: false })
                .collect(),
        },
    ]
}

fn memory(model: &Option<String>) -> &'static str {
    match model.as_deref() {
        Some("tso") => "tso",
        Some("pso") => "pso",
        _ => "sc",
    }
}
