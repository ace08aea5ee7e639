//! Table 3: applications with known bugs; then their repaired and other variants, which the paper does not have.

use crate::table::{Row, Table, rows_of};

const DIRECTORY: &str = "bench/applications";

/// Cases, and: runs of Con2colic, its time, paths of MPC, its time, number of bugs.
const PUBLISHED: [(&str, [&str; 5]); 10] = [
    ("aget/bug", ["6", "23.6 s", "4", "13 s", "1"]),
    ("apache_a/bug", ["411", "92 s", "80", "9.53 s", "2"]),
    ("apache_b/bug", ["43", "3.24 s", "22", "1.6 s", "1"]),
    ("bluetooth/bug", ["11", "0.8 s", "36", "2.5 s", "1"]),
    ("ctrace1/bug", ["5", "0.75 s", "10", "3.1 s", "2"]),
    ("ctrace2/bug", ["37", "> 3600 s", "393", "143 s", "2"]),
    ("pfscan/bug", ["no memory", "", "112", "219 s", "2"]),
    ("rbtree/rbtree", ["crash", "", "1", "0.5 s", "0"]),
    ("sor/bug", ["8", "0.8 s", "4", "1.2 s", "3"]),
    ("splay/splay", ["34", "4.6 s", "13", "2.3 s", "0"]),
];

pub fn tables() -> Vec<Table> {
    let (rows, others) = rows_of(DIRECTORY, &PUBLISHED);
    vec![
        Table {
            title: "Table 3: applications (runs and time of Con2colic, paths and time of MPC, known bugs)",
            published: &["Con2colic", "", "MPC", "", "bugs"],
            rows,
        },
        Table {
            title: "The same applications, repaired or with other inputs",
            published: &[],
            rows: others.into_iter().map(|case| Row { published: Vec::new(), case, paths: false }).collect(),
        },
    ]
}
