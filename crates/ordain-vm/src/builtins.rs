//! Points that are calls of builtins: threads, mutexes, the heap, inputs, output, the end of the process.

use crate::log::Action;
use crate::machine::Machine;
use crate::memory::{ALL_UNDEFINED, Object, ObjectKind, Undefined};
use crate::points::{Written, drain, end_thread, issue};
use crate::races::Touch;
use crate::stop::Stop;
use crate::thread::{Poise, Thread, ThreadId};
use crate::world::World;
use ordain_ir::program::{Builtin, Function, Operand, Reg};
use ordain_model::failure::FailureKind;
use ordain_model::memory::AllocationKind;
use ordain_model::witness::InputValue;
use std::rc::Rc;

/// What `pthread_mutex_trylock` returns for a mutex that is taken.
const EBUSY: u64 = 16;
pub(crate) const MALLOC_ALIGN_BYTES: u64 = 16;
pub(crate) const STANDARD_OUTPUT: u64 = 1;

/// A call of a builtin by one thread.
pub(crate) struct Call<'a, 'p> {
    pub world: &'a mut World<'p>,
    pub thread: &'a mut Thread,
    function: &'p Function,
    pub args: &'a [Operand],
    dsts: &'a [Reg],
}

impl<'p> Machine<'p> {
    pub(crate) fn call_builtin(
        &mut self,
        id: ThreadId,
        builtin: Builtin,
        args: &[Operand],
        dsts: &[Reg],
    ) -> Result<(), Stop> {
        match builtin {
            Builtin::ThreadCreate => self.create(id, args, dsts),
            Builtin::ThreadJoin => self.join(id, args, dsts),
            Builtin::ThreadDetach => self.detach(id, args, dsts),
            Builtin::CondSignal => self.wake(id, args, false),
            Builtin::CondBroadcast => self.wake(id, args, true),
            Builtin::CondWoken | Builtin::Expired | Builtin::MutexTryLock => {
                self.quiet_call(id, args, dsts).alone(builtin)
            }
            Builtin::System(call) => self.quiet_call(id, args, dsts).system(call),
            _ => self.call(id, args, dsts).alone(builtin),
        }
    }

    pub(crate) fn call<'a>(&'a mut self, id: ThreadId, args: &'a [Operand], dsts: &'a [Reg]) -> Call<'a, 'p> {
        let call = self.quiet_call(id, args, dsts);
        call.thread.arrivals.forget();
        call
    }

    /// A call that may be part of an await.
    fn quiet_call<'a>(&'a mut self, id: ThreadId, args: &'a [Operand], dsts: &'a [Reg]) -> Call<'a, 'p> {
        let thread = Rc::make_mut(&mut self.threads[id.index()]);
        let function = self.world.program.function(thread.top().function);
        Call { world: &mut self.world, thread, function, args, dsts }
    }

    fn create(&mut self, id: ThreadId, args: &[Operand], dsts: &[Reg]) -> Result<(), Stop> {
        if self.threads.len() > ThreadId::LAST.index() {
            return Err(Stop::Unsupported(format!("more than {} threads", self.threads.len())));
        }
        let child_id = ThreadId(self.threads.len() as u32);
        let mut call = self.call(id, args, dsts);
        let handle_at = call.pointer(0, "where the id of a new thread goes")?;
        let entry_at = call.pointer(2, "the function of a new thread")?;
        let ((argument, undefined), context) = (call.argument(3), call.argument(4));
        let entry = call.world.callee(entry_at)?;
        drain(call.world, call.thread);
        let name = call.thread.name.child(call.thread.children + 1);
        let mut child = Thread::new(child_id, name.clone());
        child.marks = call.world.config.marks.then(Vec::new);
        call.write(handle_at, &name.handle().to_le_bytes())?;
        call.thread.children += 1;
        call.world.races.create(call.thread, &mut child);
        call.world.record(call.thread, || Action::Create { child: child_id, name });
        call.result(0, 0);
        let function = self.world.program.function(entry);
        child.enter(entry, function);
        for (&parameter, (value, undefined)) in function.params.iter().zip([(argument, undefined), context]) {
            child.set_result(function, parameter, value, undefined);
        }
        self.add(child);
        Ok(())
    }

    /// The thread whose id is the first argument.
    fn target(&mut self, id: ThreadId, what: &str, args: &[Operand]) -> Result<ThreadId, Stop> {
        let handle = self.call(id, args, &[]).pointer(0, "a thread id")?;
        let target = self.threads.iter().find(|t| t.name.handle() == handle);
        match target {
            Some(target) if !target.joined && !target.detached => Ok(target.id),
            Some(_) => Err(Stop::Unsupported(format!("{what} of a thread that is joined or detached"))),
            None => Err(Stop::Unsupported(format!("{what} of {handle:#x}, which is no thread"))),
        }
    }

    fn join(&mut self, id: ThreadId, args: &[Operand], dsts: &[Reg]) -> Result<(), Stop> {
        let target_id = self.target(id, "pthread_join", args)?;
        if target_id == id {
            return Err(Stop::Unsupported("pthread_join of oneself".to_owned()));
        }
        let target = Rc::make_mut(&mut self.threads[target_id.index()]);
        target.joined = true;
        drain(&mut self.world, target);
        let target = self.threads[target_id.index()].clone();
        let Poise::Ended { value, undefined } = target.poise else {
            unreachable!("a thread waits until the one it joins has ended");
        };
        let mut call = self.call(id, args, dsts);
        drain(call.world, call.thread);
        call.world.races.join(call.thread, &target);
        let result_at = call.pointer(1, "where the result of a thread goes")?;
        if result_at != 0 {
            call.write_value(result_at, 8, value, undefined)?;
        }
        call.world.record(call.thread, || Action::Join { target: target_id });
        call.result(0, 0);
        Ok(())
    }

    fn detach(&mut self, id: ThreadId, args: &[Operand], dsts: &[Reg]) -> Result<(), Stop> {
        let target = self.target(id, "pthread_detach", args)?;
        Rc::make_mut(&mut self.threads[target.index()]).detached = true;
        let mut call = self.call(id, args, dsts);
        call.world.record(call.thread, || Action::Detach { target });
        call.result(0, 0);
        Ok(())
    }
}

impl Call<'_, '_> {
    /// Builtins that concern no other thread.
    fn alone(&mut self, builtin: Builtin) -> Result<(), Stop> {
        match builtin {
            Builtin::ThreadExit => self.exit_thread(),
            Builtin::MutexLock | Builtin::MutexTryLock => return self.lock(builtin == Builtin::MutexTryLock),
            Builtin::MutexUnlock => return self.unlock(),
            Builtin::MutexDestroy => return self.destroy(),
            Builtin::CondEnqueue => return self.enqueue(),
            Builtin::CondSleep => return self.sleep(),
            Builtin::CondWoken => return self.look(false),
            Builtin::CondLeave => return self.look(true),
            Builtin::CondWaiters => return self.waiters(),
            Builtin::Expired => self.expired(),
            Builtin::Spurious => self.spurious(),
            Builtin::Misuse => return Err(self.misuse()),
            Builtin::Malloc => {
                let size = self.pointer(0, "the size of an allocation")?;
                return self.allocate(size, MALLOC_ALIGN_BYTES, false);
            }
            Builtin::Calloc => {
                let (count, size) =
                    (self.pointer(0, "the size of an allocation")?, self.pointer(1, "the size of an allocation")?);
                let size =
                    count.checked_mul(size).ok_or_else(|| Stop::Unsupported("a calloc that overflows".to_owned()))?;
                return self.allocate(size, MALLOC_ALIGN_BYTES, true);
            }
            Builtin::Realloc => return self.reallocate(),
            Builtin::Free => return self.free(),
            Builtin::Exit | Builtin::ExitNow => {
                drain(self.world, self.thread);
                return Err(Stop::Exit(self.pointer(0, "the exit status")? as i32));
            }
            Builtin::Abort => return Err(Stop::Failure(FailureKind::Abort, "abort() is called".to_owned())),
            Builtin::ReachError => {
                return Err(Stop::Failure(FailureKind::Assertion, "the error function is reached".to_owned()));
            }
            Builtin::AssertFail => return Err(self.assertion()),
            Builtin::InputBytes => return self.input_bytes(),
            Builtin::InputValue => self.input_value(),
            Builtin::AtomicBegin => self.atomic_begin(),
            Builtin::AtomicEnd => self.atomic_end()?,
            Builtin::Format(formatter) => return self.format(formatter),
            Builtin::AlignedAlloc => {
                let align = self.pointer(0, "the alignment of an allocation")?;
                let size = self.pointer(1, "the size of an allocation")?;
                return self.allocate(size, align.max(MALLOC_ALIGN_BYTES), false);
            }
            Builtin::UsableSize => {
                let address = self.pointer(0, "the pointer given to malloc_usable_size")?;
                let size = if address == 0 { 0 } else { self.heap_size(address)? };
                self.result(size, 0);
            }
            Builtin::Puts => {
                let text = self.pointer(0, "a text to print")?;
                let mut text = self.world.text(self.thread, text, usize::MAX)?;
                text.push(b'\n');
                // Whether there is anybody to read it is not the program's concern.
                let _ = self.emit(STANDARD_OUTPUT, text);
                self.result(1, 0);
            }
            Builtin::Putchar => {
                let character = self.pointer(0, "a character to print")?;
                let _ = self.emit(STANDARD_OUTPUT, vec![character as u8]);
                self.result(character & 0xff, 0);
            }
            Builtin::ThreadCreate
            | Builtin::ThreadJoin
            | Builtin::ThreadDetach
            | Builtin::CondSignal
            | Builtin::CondBroadcast
            | Builtin::ThreadSelf
            | Builtin::ThreadEqual
            | Builtin::ThreadLocal
            | Builtin::SetJump
            | Builtin::LongJump
            | Builtin::MutexInit
            | Builtin::Math(_)
            | Builtin::Wide(_)
            | Builtin::Assume
            | Builtin::RegionBegin
            | Builtin::RegionEnd
            | Builtin::Yield
            | Builtin::Sleep
            | Builtin::System(_) => unreachable!("{builtin:?} is dealt with elsewhere"),
        }
        Ok(())
    }

    pub fn argument(&self, n: usize) -> (u64, Undefined) {
        let base = self.thread.top().base;
        self.args.get(n).map_or((0, ALL_UNDEFINED), |a| self.thread.operand(base, a))
    }

    /// An argument that must be defined.
    pub(crate) fn pointer(&self, n: usize, what: &str) -> Result<u64, Stop> {
        match self.argument(n) {
            (value, 0) => Ok(value),
            _ => Err(Stop::uninitialised(what)),
        }
    }

    pub(crate) fn result(&mut self, value: u64, undefined: Undefined) {
        if let [dst] = *self.dsts {
            self.thread.set_result(self.function, dst, value, undefined);
        }
    }

    /// Writes as the library function would, with plain stores that are in memory at once.
    fn write_value(&mut self, address: u64, size: u8, value: u64, undefined: Undefined) -> Result<(), Stop> {
        self.world.check_write(address, size as u64)?;
        self.world.touch(self.thread, Touch { address, size: size as u64, write: true, atomic: false });
        let written = self.world.memory.store(address, size, value, undefined);
        assert!(written.is_ok(), "the address has been checked");
        self.world.races.stored(address, size, None);
        self.world.note_change(self.thread);
        Ok(())
    }

    pub fn write(&mut self, address: u64, bytes: &[u8]) -> Result<(), Stop> {
        self.world.check_write(address, bytes.len() as u64)?;
        chunks(address, bytes).try_for_each(|(at, value, size)| self.write_value(at, size, value, 0))
    }

    /// Reads as the library function would. Bytes that were never written are whatever they are.
    pub fn read_bytes(&mut self, address: u64, size: u64) -> Result<Vec<u8>, Stop> {
        if size == 0 {
            return Ok(Vec::new());
        }
        let entry = self.world.memory.check(address, size);
        let entry = entry.map_err(|_| self.world.access_failure("read", address, size))?;
        let offset = (address - entry.base) as usize;
        let bytes = entry.object.bytes()[offset..offset + size as usize].to_vec();
        for start in (0..size).step_by(8) {
            let size = (size - start).min(8);
            self.world.touch(self.thread, Touch { address: address + start, size, write: false, atomic: false });
        }
        Ok(bytes)
    }

    fn exit_thread(&mut self) {
        let (value, undefined) = self.argument(0);
        self.world.record(self.thread, || Action::ThreadExit);
        self.thread.poise = Poise::Ended { value, undefined };
        end_thread(self.world, self.thread);
    }

    fn mutex(&self) -> Result<u64, Stop> {
        let address = self.pointer(0, "the address of a mutex")?;
        match self.world.memory.check(address, 1) {
            Ok(_) => Ok(address),
            Err(_) => Err(self.world.access_failure("use as a mutex", address, 1)),
        }
    }

    fn lock(&mut self, only_try: bool) -> Result<(), Stop> {
        let address = self.mutex()?;
        drain(self.world, self.thread);
        let taken = !self.world.mutexes.contains_key(&address);
        if taken {
            self.thread.arrivals.forget();
            self.world.mutexes.insert(address, self.thread.id);
            self.world.races.lock(self.thread, address);
        }
        assert!(taken || only_try, "a thread waits until the mutex it locks is free");
        self.world.record(self.thread, || match only_try {
            true => Action::TryLock { address, taken },
            false => Action::Lock { address },
        });
        self.result(if taken { 0 } else { EBUSY }, 0);
        Ok(())
    }

    fn unlock(&mut self) -> Result<(), Stop> {
        let address = self.mutex()?;
        match self.world.mutexes.get(&address) {
            Some(owner) if *owner == self.thread.id => {}
            owner => {
                let state = if owner.is_some() { "another thread holds" } else { "nobody holds" };
                let message = format!("unlock of mutex {}, which {state}", self.world.describe(address));
                return Err(Stop::Failure(FailureKind::LockMisuse, message));
            }
        }
        drain(self.world, self.thread);
        self.world.mutexes.remove(&address);
        self.world.races.unlock(self.thread, address);
        self.world.note_change(self.thread);
        self.world.record(self.thread, || Action::Unlock { address });
        self.result(0, 0);
        Ok(())
    }

    fn destroy(&mut self) -> Result<(), Stop> {
        let address = self.mutex()?;
        if self.world.mutexes.contains_key(&address) {
            let message = format!("mutex {} is destroyed while it is locked", self.world.describe(address));
            return Err(Stop::Failure(FailureKind::LockMisuse, message));
        }
        self.world.record(self.thread, || Action::DestroyMutex { address });
        self.result(0, 0);
        Ok(())
    }

    pub fn new_object(&mut self, size: u64, align: u64, zeroed: bool) -> Result<u64, Stop> {
        let base = self.world.allocate(self.thread, size, align, AllocationKind::Heap)?;
        if zeroed {
            self.world.memory.remove(base);
            self.world.memory.insert(base, Object::zeroed(ObjectKind::Heap, size as usize));
        }
        Ok(base)
    }

    fn allocate(&mut self, size: u64, align: u64, zeroed: bool) -> Result<(), Stop> {
        let base = self.new_object(size, align, zeroed)?;
        self.world.record(self.thread, || Action::Allocate { base, size, from: None });
        self.result(base, 0);
        Ok(())
    }

    fn reallocate(&mut self) -> Result<(), Stop> {
        let old = self.pointer(0, "the pointer given to realloc")?;
        let size = self.pointer(1, "the size of an allocation")?;
        if old != 0 {
            self.check_heap(old)?;
        }
        let base = self.new_object(size, MALLOC_ALIGN_BYTES, false)?;
        if old != 0 {
            drain(self.world, self.thread);
            let kept = self.world.memory.object(old).map_or(0, |o| o.size()).min(size as usize);
            self.world.memory.copy_object(old, base, kept);
            self.world.memory.remove(old);
            self.world.note_change(self.thread);
        }
        self.world.record(self.thread, || Action::Allocate { base, size, from: (old != 0).then_some(old) });
        self.result(base, 0);
        Ok(())
    }

    fn free(&mut self) -> Result<(), Stop> {
        let address = self.pointer(0, "the pointer given to free")?;
        if address != 0 {
            self.check_heap(address)?;
            self.world.memory.remove(address);
            self.world.note_change(self.thread);
        }
        self.world.record(self.thread, || Action::Free { address });
        Ok(())
    }

    /// Fails unless `address` is the start of a live heap object.
    fn check_heap(&self, address: u64) -> Result<(), Stop> {
        let world = &self.world;
        if world.memory.object(address).is_some_and(|o| o.kind == ObjectKind::Heap) {
            return Ok(());
        }
        let description = world.describe(address);
        let was_heap = world.book.borrow().object(address).is_some_and(|o| {
            matches!(&o.origin, ordain_model::memory::ObjectOrigin::Allocation(n) if n.kind == AllocationKind::Heap)
        });
        Err(if was_heap {
            Stop::Failure(FailureKind::DoubleFree, format!("{description} is freed twice"))
        } else {
            Stop::Failure(
                FailureKind::Bounds,
                format!("free of {description}, which is not the start of a heap object"),
            )
        })
    }

    fn heap_size(&self, address: u64) -> Result<u64, Stop> {
        self.check_heap(address)?;
        Ok(self.world.memory.object(address).map_or(0, |o| o.size() as u64))
    }

    fn assertion(&self) -> Stop {
        let (expression, undefined) = self.argument(0);
        let text = match undefined {
            0 => self.world.text(self.thread, expression, usize::MAX).unwrap_or_default(),
            _ => Vec::new(),
        };
        Stop::Failure(FailureKind::Assertion, format!("assertion '{}' fails", String::from_utf8_lossy(&text)))
    }

    fn take_input(&mut self, size: usize, name: String) -> (u32, Vec<u8>) {
        let nth = self.thread.inputs;
        self.thread.inputs += 1;
        let bytes = self.world.inputs.take(&self.thread.name, nth, size);
        let thread = self.thread.name.clone();
        self.world.consumed.push(InputValue { thread, nth, name, bytes: bytes.clone() });
        (nth, bytes)
    }

    fn input_bytes(&mut self) -> Result<(), Stop> {
        let address = self.pointer(0, "where an input goes")?;
        let size = self.pointer(1, "the size of an input")?;
        self.world.check_write(address, size)?;
        let name = match self.argument(2) {
            (at, 0) if at != 0 => String::from_utf8_lossy(&self.world.text(self.thread, at, usize::MAX)?).into_owned(),
            _ => self.world.describe(address),
        };
        let (nth, bytes) = self.take_input(size as usize, name);
        self.world.record(self.thread, || Action::Input { nth, address: Some(address), bytes: bytes.clone() });
        for (at, value, size) in chunks(address, &bytes) {
            self.world.touch(self.thread, Touch { address: at, size: size as u64, write: true, atomic: false });
            issue(self.world, self.thread, Written { address: at, size, value, undefined: 0 }, None);
        }
        self.result(0, 0);
        Ok(())
    }

    fn input_value(&mut self) {
        let width = self.dsts.first().map_or(32, |r| self.function.registers[r.index()]);
        let name = format!("input {} at {}", self.thread.inputs, self.world.place(self.thread));
        let (nth, bytes) = self.take_input(width.div_ceil(8) as usize, name);
        let value = bytes.iter().rev().fold(0, |value, byte| value << 8 | *byte as u64);
        self.world.record(self.thread, || Action::Input { nth, address: None, bytes });
        self.result(value, 0);
    }

    fn atomic_begin(&mut self) {
        drain(self.world, self.thread);
        let depth = self.world.atomic.map_or(0, |(_, depth)| depth);
        self.world.atomic = Some((self.thread.id, depth + 1));
        // One inside another is part of it.
        if depth == 0 {
            self.world.races.atomic_begin(self.thread);
            self.world.record(self.thread, || Action::AtomicBegin);
        }
        self.result(0, 0);
    }

    fn atomic_end(&mut self) -> Result<(), Stop> {
        let Some((_, depth)) = self.world.atomic else {
            return Err(Stop::Unsupported("the end of an atomic section that has not begun".to_owned()));
        };
        drain(self.world, self.thread);
        self.world.atomic = (depth > 1).then_some((self.thread.id, depth - 1));
        if depth == 1 {
            self.world.races.atomic_end(self.thread);
            self.world.record(self.thread, || Action::AtomicEnd);
        }
        self.result(0, 0);
        Ok(())
    }

    /// Writes a text to an open file: one event, whatever it takes to make it. Fails with an error number.
    pub fn emit(&mut self, fd: u64, text: Vec<u8>) -> Result<u64, i32> {
        let written = self.print_to(fd, &text);
        self.world.record(self.thread, || Action::Output { text });
        written
    }
}

/// Bytes as what the machine writes at a time: address, value, size.
fn chunks(address: u64, bytes: &[u8]) -> impl Iterator<Item = (u64, u64, u8)> {
    bytes.chunks(8).enumerate().map(move |(i, chunk)| {
        let mut value = [0; 8];
        value[..chunk.len()].copy_from_slice(chunk);
        (address + 8 * i as u64, u64::from_le_bytes(value), chunk.len() as u8)
    })
}
