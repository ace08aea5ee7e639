//! The programs of CLAP's Table 1, and what it says about them.

pub struct Program {
    pub name: &'static str,
    /// The memory models under which it fails.
    pub memory: &'static [&'static str],
    pub published: Published,
    pub most_preemptions: u64,
}

/// What was published: shared accesses, the time of the solver, context switches, and the size of the log.
#[derive(Clone, Copy)]
pub struct Published {
    pub accesses: &'static str,
    pub solving: &'static str,
    pub switches: &'static str,
    pub log: &'static str,
}

const fn program(
    name: &'static str,
    memory: &'static [&'static str],
    [accesses, solving, switches, log]: [&'static str; 4],
    most_preemptions: u64,
) -> Program {
    Program { name, memory, published: Published { accesses, solving, switches, log }, most_preemptions }
}

const SC: &[&str] = &["sc"];
const RELAXED: &[&str] = &["tso", "pso"];

pub const PROGRAMS: [Program; 11] = [
    program("sim_race", SC, ["23", "0.5", "0", "126 B"], 0),
    program("pbzip2", SC, ["65", "5", "2", "1.8 KB"], 2),
    program("aget", SC, ["1951", "89", "1", "24 KB"], 1),
    program("bbuf", SC, ["64", "5", "1", "1.1 KB"], 1),
    program("swarm", SC, ["1265", "64", "2", "216 KB"], 2),
    program("pfscan", SC, ["2864", "160", "3", "331 KB"], 3),
    program("apache", SC, ["81237", "344", "3", "2.3 MB"], 3),
    program("racey", SC, ["1361588", "2280", "276", "3.8 MB"], 276),
    program("bakery", RELAXED, ["218", "8", "1", ""], 1),
    program("dekker", RELAXED, ["39", "2", "1", ""], 1),
    program("peterson", RELAXED, ["35", "2", "1", ""], 1),
];
