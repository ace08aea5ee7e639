//! What a machine is asked to do besides running the program.

use ordain_model::witness::MemoryModel;

/// How much a machine remembers of past accesses to find data races.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum RaceMode {
    #[default]
    Off,
    /// Of every place in memory the last accesses that are not ordered: finds whether there is a race, but not every pair
    /// of source lines that race. Costs little.
    Last,
    /// Every access: finds all pairs.
    Full,
}

/// What executes instructions.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Interpreter {
    /// The fast one over decoded code where it knows its way, the plain one elsewhere.
    #[default]
    Fast,
    /// The plain one alone, which is what the fast one is held to.
    Plain,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Config {
    pub interpreter: Interpreter,
    pub memory: MemoryModel,
    pub races: RaceMode,
    /// Keep a log of everything that was executed.
    pub record: bool,
    /// Keep the branches that every thread took.
    pub branches: bool,
    /// Keep when every thread enters and leaves functions, and the regions that the program marks. Only the plain interpreter does.
    pub marks: bool,
    /// End the run as soon as some threads are stuck for ever, whatever the others could still do. Otherwise the run goes
    /// on until nobody can, and `Machine::stuck` tells who got stuck on the way.
    pub stop_when_stuck: bool,
    /// Waits for a condition may end without a signal, if the scheduler wants it so.
    pub spurious: bool,
    /// Give stack objects the addresses of earlier ones at the same place in the program that are gone, after a while: for long
    /// runs. A pointer that is used long after its function has returned may then go unnoticed.
    pub reuse_stack: bool,
    /// How many instructions a thread may execute without a point before it counts as stuck in an endless loop.
    pub local_limit: u64,
}

impl Default for Config {
    fn default() -> Self {
        Config {
            interpreter: Interpreter::Fast,
            memory: MemoryModel::Sc,
            races: RaceMode::Off,
            record: false,
            branches: false,
            marks: false,
            stop_when_stuck: true,
            spurious: true,
            reuse_stack: false,
            local_limit: 1_000_000_000,
        }
    }
}
