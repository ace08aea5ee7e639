//! What all race-free programs have in common: shared state, its set-up, and what main prints of it.

use super::each_thread;
use crate::generator::syntax::{Declaration, Stmt};

/// Shared state and the functions on it, as names and texts.
const DECLARATIONS: [(&str, &str); 18] = [
    ("sem_t", "#include <semaphore.h>"),
    ("state", "struct state {\n    word me;\n    word l[4];\n    word buffer[8];\n};"),
    ("states", "static struct state states[THREADS];"),
    ("barrier", "static pthread_barrier_t barrier;"),
    ("lock", "static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;"),
    ("spin", "static pthread_spinlock_t spin;"),
    ("guard", "static pthread_rwlock_t guard = PTHREAD_RWLOCK_INITIALIZER;"),
    ("totals", "static word totals[3][4];"),
    ("counters", "static _Atomic word counters[3];"),
    ("field", "static word field[PHASES][THREADS][8];"),
    ("boxes", "static word boxes[HANDOVERS][THREADS];"),
    ("blocks", "static word *blocks[HANDOVERS][THREADS];"),
    ("flags", "static _Atomic int flags[HANDOVERS][THREADS];"),
    ("semaphores", "static sem_t semaphores[HANDOVERS][THREADS];"),
    ("next_of", "static word next_of(word thread) {\n    return thread + 1 == THREADS ? 0 : thread + 1;\n}"),
    ("raise_to", RAISE),
    ("once", ONCE),
    ("channels", CHANNELS),
];

const RAISE: &str = "\
static void raise_to(_Atomic word *place, word value) {
    word seen = atomic_load_explicit(place, memory_order_relaxed);
    while (seen < value && !atomic_compare_exchange_weak(place, &seen, value)) {
    }
}";

const ONCE: &str = "\
static pthread_once_t once = PTHREAD_ONCE_INIT;
static word table[8];
static void fill_table(void) {
    for (word i = 0; i < 8; i++) {
        table[i] = f0(i, 7 - i);
    }
}";

/// One writer and one reader each, so what comes out does not depend on when.
const CHANNELS: &str = "\
static struct channel {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    word items[2];
    word written;
    word read;
} channels[THREADS];
static void put(struct channel *channel, word item) {
    pthread_mutex_lock(&channel->lock);
    while (channel->written - channel->read == 2) {
        pthread_cond_wait(&channel->changed, &channel->lock);
    }
    channel->items[channel->written++ & 1] = item;
    pthread_cond_signal(&channel->changed);
    pthread_mutex_unlock(&channel->lock);
}
static word get(struct channel *channel) {
    pthread_mutex_lock(&channel->lock);
    while (channel->written == channel->read) {
        pthread_cond_wait(&channel->changed, &channel->lock);
    }
    word item = channel->items[channel->read++ & 1];
    pthread_cond_signal(&channel->changed);
    pthread_mutex_unlock(&channel->lock);
    return item;
}";

pub(super) fn declarations() -> impl Iterator<Item = Declaration> {
    DECLARATIONS.into_iter().map(|(name, text)| Declaration::new(name, text))
}

/// What main does before there are threads; some of it only if the phases mention what it is for.
pub(super) fn preparations(mentioned: impl Fn(&str) -> bool) -> Vec<Stmt> {
    let mut stmts = Vec::new();
    if mentioned("spin") {
        stmts.push(Stmt::line("pthread_spin_init(&spin, 0);"));
    }
    let mut each = vec![
        Stmt::line("states[i].me = i;"),
        Stmt::block(
            "for (word j = 0; j < 8; j++)",
            vec![Stmt::line("states[i].l[j & 3] = 7 * i + j;"), Stmt::line("states[i].buffer[j] = i ^ j;")],
        ),
    ];
    if mentioned("channels") {
        each.push(Stmt::line("pthread_mutex_init(&channels[i].lock, 0);"));
        each.push(Stmt::line("pthread_cond_init(&channels[i].changed, 0);"));
    }
    if mentioned("semaphores") {
        let init = Stmt::line("sem_init(&semaphores[j][i], 0, 0);");
        each.push(Stmt::block("for (word j = 0; j < HANDOVERS; j++)", vec![init]));
    }
    stmts.push(each_thread(each));
    stmts
}

/// Everything that the threads have left.
pub(super) fn printing() -> Vec<Stmt> {
    let show = |what: &str| vec![Stmt::line(format!("printf(\"%lu \", {what});"))];
    vec![
        each_thread(vec![
            Stmt::block("for (word j = 0; j < 4; j++)", show("states[i].l[j]")),
            Stmt::block("for (word j = 0; j < 8; j++)", show("states[i].buffer[j]")),
            Stmt::block("for (word j = 0; j < 8 * PHASES; j++)", show("field[j / 8][i][j % 8]")),
        ]),
        Stmt::block("for (word j = 0; j < 12; j++)", show("totals[j / 4][j % 4]")),
        Stmt::block("for (word j = 0; j < 3; j++)", show("counters[j]")),
        Stmt::line("printf(\"\\n\");"),
    ]
}
