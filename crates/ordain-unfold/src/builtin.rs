//! What the functions that Ordain gives a meaning to do in a thread's own view.

use crate::access::{Effects, Lane, Stop};
use crate::merge::failure_of;
use crate::state::State;
use crate::{Unfolder, wild_kind};
use ordain_expr::Term;
use ordain_expr::op::{Pred, Width};
use ordain_ir::program::{Builtin, Inst, Operand, Reg};
use ordain_model::event::{EventKind, Site, TreeKey};
use ordain_model::failure::FailureKind;
use ordain_model::forest::{Cut, Input, InputKey, NodeEnd, NodeId, Subject};
use ordain_model::memory::{AllocationKind, AllocationName, ObjectOrigin};
use ordain_model::names::ThreadName;

/// What `pthread_mutex_trylock` returns when the mutex is taken (EBUSY).
const BUSY: u64 = 16;
/// Alignment of what `malloc` returns.
const HEAP_ALIGN: u64 = 16;

pub(crate) fn unsupported<T>(what: impl Into<String>) -> Result<T, Stop> {
    Err(Stop::End(NodeEnd::Cut(Cut::Unsupported(what.into()))))
}

impl Unfolder<'_> {
    pub(crate) fn builtin(
        &mut self,
        state: &mut State,
        node: NodeId,
        builtin: Builtin,
        args: &[Operand],
        dsts: &[Reg],
    ) -> Result<(), Stop> {
        let site = state.site(self.program);
        let mut terms: Vec<Term> = args.iter().map(|&a| self.operand(state, a, 64)).collect();
        let (steps, scripted) = (state.steps, state.scripted);
        self.scripted_arguments(state, node, &mut terms)?;
        if builtin.is_point() {
            state.step(site);
        }
        let result = self.perform(state, node, site, builtin, &terms, dsts);
        if matches!(result, Err(Stop::Decide(_))) {
            // It will be executed again.
            state.steps = steps;
            state.scripted = scripted;
        }
        let result = result?;
        state.note_certain_step();
        if let Some(base) = result.filter(|_| matches!(builtin, Builtin::Malloc | Builtin::Calloc)) {
            self.note_place(state, site, base);
        }
        if let (Some(&dst), Some(value)) = (dsts.first(), result) {
            let value = self.resize(value, self.width_of(site, dst));
            state.set(dst, value);
        }
        self.next(state)
    }

    fn width_of(&self, site: Site, register: Reg) -> Width {
        self.program.function(site.function).registers[register.index()]
    }

    /// Returns what the call returns, if anything.
    fn perform(
        &mut self,
        state: &mut State,
        node: NodeId,
        site: Site,
        builtin: Builtin,
        args: &[Term],
        dsts: &[Reg],
    ) -> Result<Option<Term>, Stop> {
        let zero = self.forest.terms.constant(64, 0);
        match builtin {
            Builtin::ThreadCreate => self.create(state, node, site, args)?,
            Builtin::ThreadJoin => self.join(state, node, site, args)?,
            Builtin::ThreadExit => return self.end_thread(state, node, site, args[0]).map(|()| None),
            Builtin::ThreadSelf => {
                return Ok(Some(self.forest.terms.constant(64, state.thread.handle())));
            }
            Builtin::ThreadEqual => {
                let equal = self.forest.terms.eq(args[0], args[1]);
                return Ok(Some(equal));
            }
            Builtin::ThreadDetach => self.detach(state, node, site, args[0])?,
            Builtin::MutexInit => {}
            Builtin::MutexLock => self.lock(state, node, site, args[0])?,
            Builtin::MutexTryLock => return self.try_lock(state, node, site, args[0]).map(Some),
            Builtin::MutexUnlock => self.unlock(state, node, site, args[0])?,
            Builtin::CondEnqueue => self.enqueue(state, node, site, args[0])?,
            Builtin::CondSleep => self.sleep(state, node, site)?,
            Builtin::CondWoken => return self.look(state, node, site, false).map(Some),
            Builtin::CondLeave => return self.look(state, node, site, true).map(Some),
            Builtin::CondSignal => self.signal(state, node, site, args[0], false)?,
            Builtin::CondBroadcast => self.signal(state, node, site, args[0], true)?,
            Builtin::CondWaiters => return self.waiters(state, node, site, args[0]).map(Some),
            Builtin::Expired => return Ok(Some(self.choose(state, node, site))),
            Builtin::Spurious if self.options.spurious => return Ok(Some(self.choose(state, node, site))),
            Builtin::Spurious => {}
            Builtin::MutexDestroy => self.destroy(state, node, site, args[0])?,
            Builtin::Malloc => return self.malloc(state, node, site, args[0]).map(Some),
            Builtin::Calloc => {
                let bytes = self.forest.terms.bin(ordain_expr::op::BinOp::Mul, args[0], args[1]);
                return self.malloc(state, node, site, bytes).map(Some);
            }
            Builtin::Realloc => return unsupported("realloc has no model in explore"),
            Builtin::Free => self.free(state, node, site, args[0])?,
            Builtin::Exit | Builtin::ExitNow => return Err(Stop::End(NodeEnd::ProcessEnd)),
            Builtin::Abort | Builtin::AssertFail | Builtin::ReachError | Builtin::Misuse => {
                return Err(failure_of(builtin).map_or(Stop::NotSimple, Stop::failure));
            }
            Builtin::InputBytes => self.input_bytes(state, node, args)?,
            Builtin::InputValue => {
                let width = dsts.first().map_or(8, |&d| self.width_of(site, d));
                let bytes = width.div_ceil(8);
                let value = self.input(state, bytes as u64, String::new());
                return Ok(Some(value));
            }
            Builtin::Assume => self.assume(state, node, site, args[0])?,
            Builtin::AtomicBegin => match &mut state.atomic {
                // One inside another is part of it.
                Some((_, depth)) => *depth += 1,
                None => {
                    let begin = self.emit(node, state, site, EventKind::AtomicBegin);
                    state.atomic = Some((begin, 1));
                }
            },
            Builtin::AtomicEnd => match &mut state.atomic {
                Some((begin, 1)) => {
                    let begin = *begin;
                    self.emit(node, state, site, EventKind::AtomicEnd { begin });
                    state.atomic = None;
                }
                Some((_, depth)) => *depth -= 1,
                None => return unsupported("__VERIFIER_atomic_end without a begin"),
            },
            Builtin::ThreadLocal => return self.thread_local(state, args).map(Some),
            // It returns once, as long as nobody comes back to it.
            Builtin::SetJump => {}
            Builtin::LongJump => return unsupported("longjmp has no model in explore"),
            Builtin::RegionBegin | Builtin::RegionEnd | Builtin::Yield | Builtin::Sleep => {}
            Builtin::Math(_) | Builtin::Wide(_) => unreachable!("functions on numbers are computed before"),
            Builtin::AlignedAlloc => return unsupported("an allocation with an alignment has no model in explore"),
            Builtin::UsableSize => return unsupported("malloc_usable_size has no model in explore"),
            Builtin::System(call) => return self.system(state, node, call, args).map(Some),
            Builtin::Format(formatter) if !formatter.is_output() => {
                return unsupported("printing into memory has no model in explore");
            }
            Builtin::Format(_) | Builtin::Puts | Builtin::Putchar => {
                if dsts.first().is_some_and(|&d| self.is_read_somewhere(site, d)) {
                    return unsupported("the number of characters printed has no model in explore");
                }
                match builtin {
                    Builtin::Format(formatter) if formatter.list => {
                        return unsupported("printing a list of arguments has no model in explore");
                    }
                    Builtin::Format(formatter) => self.print(state, node, &args[formatter.format_at()..])?,
                    Builtin::Puts => self.print_text(state, node, args[0])?,
                    _ => self.print_number(state, node, args[0])?,
                }
            }
        }
        Ok(Some(zero))
    }

    /// The thread's own copy of a variable. It belongs to the outermost frame, so that it dies with the thread.
    fn thread_local(&mut self, state: &mut State, args: &[Term]) -> Result<Term, Stop> {
        let (template, align) = (self.forest.terms.as_const(args[0]), self.forest.terms.as_const(args[1]));
        let global = template.and_then(|address| self.book.borrow().global(address));
        let (Some(global), Some(align)) = (global, align) else {
            return unsupported("a thread-local variable that is nowhere defined");
        };
        let base = self.book.borrow_mut().thread_local(self.program, global, &state.thread, align);
        self.register_object(base);
        let outermost = &mut state.frames[0].objects;
        if !outermost.contains(&base) {
            outermost.push(base);
        }
        Ok(self.forest.terms.constant(64, base))
    }

    fn is_read_somewhere(&self, site: Site, register: Reg) -> bool {
        let facts = self.facts.function(site.function);
        let block = facts.block_of(site.pc);
        let later = site.pc.index() + 1..self.pc_in(site.function, block).end;
        let code = &self.program.function(site.function).code[later];
        let reads = |inst: &Inst| {
            let mut found = false;
            inst.for_each_use(|r| found |= r == register);
            found
        };
        code.iter().any(reads) || facts.successors(block).iter().any(|&s| facts.live_in(s).contains(&register))
    }

    fn create(&mut self, state: &mut State, node: NodeId, site: Site, args: &[Term]) -> Result<(), Stop> {
        let entry = self.decided(state, node, args[2])?;
        let Some(entry) = self.program.function_at(entry) else {
            return Err(Stop::failure(wild_kind(entry)));
        };
        let context = match args.get(4) {
            Some(&context) => self.decided(state, node, context)?,
            None => 0,
        };
        let thread = state.thread.child(state.creates + 1);
        let handle = self.forest.terms.constant(64, thread.handle());
        self.store_at(state, node, args[0], 8, handle)?;
        self.settle(state);
        state.creates += 1;
        let argument = self.forest.terms.as_const(args[3]);
        let key = TreeKey { thread, entry, argument, context };
        self.tree_for(key.clone());
        self.emit(node, state, site, EventKind::Create { child: key, argument: args[3] });
        Ok(())
    }

    fn join(&mut self, state: &mut State, node: NodeId, site: Site, args: &[Term]) -> Result<(), Stop> {
        let thread = self.thread_of(state, node, "pthread_join", args[0])?;
        if thread == state.thread {
            return unsupported("pthread_join of oneself");
        }
        // Where the result goes is settled first: a decision would execute the call again.
        let wants_value = match state.constant(&self.forest.terms, args[1]) {
            Some(0) => false,
            _ => {
                self.with_lane(state, node, |this, state, lane, fx| this.resolve(state, lane, fx, args[1], 8))?;
                true
            }
        };
        let value = self.forest.terms.symbol(64);
        self.emit(node, state, site, EventKind::Join { thread: thread.clone(), value });
        state.parted.insert(thread);
        if wants_value {
            self.store_at(state, node, args[1], 8, value)?;
        }
        Ok(())
    }

    /// The thread that is joined or detached: this one has done neither to it.
    fn thread_of(&mut self, state: &mut State, node: NodeId, what: &str, handle: Term) -> Result<ThreadName, Stop> {
        let handle = self.decided(state, node, handle)?;
        let mut threads = self.forest.trees.iter().map(|t| &t.key.thread);
        match threads.find(|t| t.handle() == handle).cloned() {
            None => unsupported(format!("{what} of something that is no thread")),
            Some(thread) if state.parted.contains(&thread) => {
                unsupported(format!("{what} of a thread that is joined or detached"))
            }
            Some(thread) => Ok(thread),
        }
    }

    fn detach(&mut self, state: &mut State, node: NodeId, site: Site, handle: Term) -> Result<(), Stop> {
        let thread = self.thread_of(state, node, "pthread_detach", handle)?;
        self.emit(node, state, site, EventKind::Detach { thread: thread.clone() });
        state.parted.insert(thread);
        Ok(())
    }

    pub(crate) fn store_at(
        &mut self,
        state: &mut State,
        node: NodeId,
        address: Term,
        size: u8,
        value: Term,
    ) -> Result<(), Stop> {
        self.with_lane(state, node, |this, state, lane: &mut Lane, fx: &mut Effects| {
            let address = this.resolve(state, lane, fx, address, size as u64)?;
            this.store(state, lane, fx, address, size, value, None);
            Ok(())
        })
    }

    /// The address of a mutex or a condition variable, which must be known.
    pub(crate) fn mutex(&mut self, state: &mut State, node: NodeId, address: Term) -> Result<u64, Stop> {
        let address = self.decided(state, node, address)?;
        let inside = self.book.borrow().find(address).map(|o| o.base);
        match inside {
            None => Err(Stop::failure(wild_kind(address))),
            Some(object) if self.is_dead(state, object) => Err(Stop::failure(FailureKind::UseAfterFree)),
            Some(object) => {
                // That it is there counts as reading it: whoever frees it is of interest.
                self.register_object(object);
                self.sharing.note_read(&state.thread, address, 1);
                Ok(address)
            }
        }
    }

    fn lock(&mut self, state: &mut State, node: NodeId, site: Site, address: Term) -> Result<(), Stop> {
        let mutex = self.mutex(state, node, address)?;
        let lock = self.emit(node, state, site, EventKind::Lock { mutex, waits: true });
        state.held.push((mutex, lock));
        Ok(())
    }

    fn try_lock(&mut self, state: &mut State, node: NodeId, site: Site, address: Term) -> Result<Term, Stop> {
        let mutex = self.mutex(state, node, address)?;
        self.sharing.note_tried(mutex);
        let busy = self.forest.terms.constant(64, BUSY);
        if state.held.iter().any(|(m, _)| *m == mutex) {
            self.emit(node, state, site, EventKind::Busy { mutex });
            return Ok(busy);
        }
        match state.try_lock.take() {
            None => Err(Stop::Decide(Subject::TryLock { mutex })),
            Some(true) => {
                let lock = self.emit(node, state, site, EventKind::Lock { mutex, waits: false });
                state.held.push((mutex, lock));
                Ok(self.forest.terms.constant(64, 0))
            }
            Some(false) => {
                self.emit(node, state, site, EventKind::Busy { mutex });
                Ok(busy)
            }
        }
    }

    fn unlock(&mut self, state: &mut State, node: NodeId, site: Site, address: Term) -> Result<(), Stop> {
        let mutex = self.mutex(state, node, address)?;
        let Some(i) = state.held.iter().position(|(m, _)| *m == mutex) else {
            return Err(Stop::failure(FailureKind::LockMisuse));
        };
        let (_, lock) = state.held.remove(i);
        self.emit(node, state, site, EventKind::Unlock { mutex, lock });
        Ok(())
    }

    /// Destroying a mutex that somebody holds is misuse: the same two outcomes as for a trylock.
    fn destroy(&mut self, state: &mut State, node: NodeId, site: Site, address: Term) -> Result<(), Stop> {
        let mutex = self.mutex(state, node, address)?;
        if state.held.iter().any(|(m, _)| *m == mutex) {
            return Err(Stop::failure(FailureKind::LockMisuse));
        }
        match state.try_lock.take() {
            None => Err(Stop::Decide(Subject::TryLock { mutex })),
            Some(true) => {
                let lock = self.emit(node, state, site, EventKind::Lock { mutex, waits: false });
                self.emit(node, state, site, EventKind::Unlock { mutex, lock });
                Ok(())
            }
            Some(false) => {
                self.emit(node, state, site, EventKind::Busy { mutex });
                Err(Stop::failure(FailureKind::LockMisuse))
            }
        }
    }

    fn malloc(&mut self, state: &mut State, node: NodeId, site: Site, bytes: Term) -> Result<Term, Stop> {
        let size = self.decided(state, node, bytes)?;
        let base = self.allocate(state, site, size, HEAP_ALIGN, AllocationKind::Heap);
        Ok(self.forest.terms.constant(64, base))
    }

    fn free(&mut self, state: &mut State, node: NodeId, site: Site, pointer: Term) -> Result<(), Stop> {
        let address = self.decided(state, node, pointer)?;
        if address == 0 {
            return Ok(());
        }
        let object = self.book.borrow().object(address);
        let heap = object.as_ref().is_some_and(|o| {
            matches!(&o.origin, ObjectOrigin::Allocation(AllocationName { kind: AllocationKind::Heap, .. }))
        });
        if !heap {
            return Err(Stop::failure(FailureKind::Bounds));
        }
        if self.is_dead(state, address) {
            return Err(Stop::failure(FailureKind::DoubleFree));
        }
        if self.end_of_life(state, address) {
            self.emit(node, state, site, EventKind::Free { object: address, returning: None });
        }
        Ok(())
    }

    /// The next input of the thread: its bytes are symbols that belong to the thread and the count alone.
    fn input(&mut self, state: &mut State, bytes: u64, name: String) -> Term {
        let key = InputKey { thread: state.thread.clone(), nth: state.inputs };
        state.inputs += 1;
        if let Some(given) = self.options.script.as_ref().and_then(|script| script.inputs.get(&key)).cloned() {
            let byte = |i: u64| given.get(i as usize).copied().unwrap_or(0);
            let value = (0..bytes).rev().fold(0, |value, i| value << 8 | u64::from(byte(i)));
            return self.forest.terms.constant(8 * bytes as Width, value);
        }
        let input = self.forest.inputs.entry(key).or_insert_with(|| Input { name, bytes: Vec::new() });
        while (input.bytes.len() as u64) < bytes {
            input.bytes.push(self.forest.terms.symbol(8));
        }
        let bytes: Vec<Term> = input.bytes[..bytes as usize].to_vec();
        bytes[1..].iter().fold(bytes[0], |low, &high| self.forest.terms.concat(high, low))
    }

    fn input_bytes(&mut self, state: &mut State, node: NodeId, args: &[Term]) -> Result<(), Stop> {
        let size = self.decided(state, node, args[1])?;
        if !matches!(size, 1 | 2 | 4 | 8) {
            return unsupported("an input that is not 1, 2, 4 or 8 bytes long");
        }
        self.with_lane(state, node, |this, state, lane, fx| this.resolve(state, lane, fx, args[0], size))?;
        let name = args.get(2).and_then(|&t| self.forest.terms.as_const(t)).map(|a| self.text_at(a));
        let value = self.input(state, size, name.unwrap_or_default());
        self.store_at(state, node, args[0], size as u8, value)
    }

    /// The string constant at an address, for people.
    fn text_at(&self, address: u64) -> String {
        let global = self.program.globals.iter().find(|g| g.address == address);
        let bytes = global.map_or(&[][..], |g| &g.init);
        let end = bytes.iter().position(|&b| b == 0).unwrap_or(bytes.len());
        String::from_utf8_lossy(&bytes[..end]).into_owned()
    }

    fn assume(&mut self, state: &mut State, node: NodeId, site: Site, value: Term) -> Result<(), Stop> {
        let zero = self.forest.terms.constant(self.forest.terms.width(value), 0);
        let condition = self.forest.terms.cmp(Pred::Ne, value, zero);
        if self.forest.terms.as_const(condition) == Some(1) {
            return Ok(());
        }
        self.with_lane(state, node, |this, state, lane, fx| {
            this.use_value(state, lane, fx, condition);
            Ok(())
        })?;
        self.emit(node, state, site, EventKind::Assume { condition });
        Ok(())
    }
}
