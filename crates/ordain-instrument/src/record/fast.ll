; What is inlined into recorded programs. A thread's cursor points to the word of its log that takes the next decisions;
; a function that records has both in variables of its own, which end up in registers: `%cursor` and `%word`.
; How words are made up is described in ordain-rt's `format.rs`.

@ordain.rec.scratch = internal global <{ i64, [8191 x i64] }> <{ i64 1, [8191 x i64] zeroinitializer }>, align 65536
; The cursor, what the runtime knows of the thread, where its next value goes, and the last time. A thread that the runtime
; does not know writes to where nobody looks.
@ordain_rec_local = internal thread_local(localexec) global { ptr, ptr, ptr, i64 }
    { ptr @ordain.rec.scratch, ptr null, ptr @ordain.rec.scratch, i64 0 }

; What was read last, by slot: as many as `ordain_record::table::SLOTS`.
@ordain_rec_slots = internal thread_local(localexec) global [2048 x i64] zeroinitializer

declare ptr @ordain_rec_more(ptr)
declare ptr @ordain_rec_more_values(ptr)
declare void @ordain_rec_long_value(i64)
declare ptr @llvm.threadlocal.address.p0(ptr)
declare i64 @llvm.readcyclecounter()

define ptr @ordain_rec_self() {
  %local = call ptr @llvm.threadlocal.address.p0(ptr @ordain_rec_local)
  ret ptr %local
}

; Once in 64 KiB. The inlined code must not lose its registers to it.
define preserve_mostcc ptr @ordain.rec.slow(ptr %end) noinline cold nounwind {
  %more = call ptr @ordain_rec_more(ptr %end)
  ret ptr %more
}

define void @ordain.rec.enter(ptr %cursor, ptr %word) alwaysinline nounwind {
  %local = call ptr @llvm.threadlocal.address.p0(ptr @ordain_rec_local)
  %at = load ptr, ptr %local
  store ptr %at, ptr %cursor
  %now = load i64, ptr %at
  store i64 %now, ptr %word
  ret void
}

define void @ordain.rec.leave(ptr %cursor) alwaysinline nounwind {
  %local = call ptr @llvm.threadlocal.address.p0(ptr @ordain_rec_local)
  %at = load ptr, ptr %cursor
  store ptr %at, ptr %local
  ret void
}

define void @ordain.rec.advance(ptr %cursor, ptr %word) alwaysinline nounwind {
  %at = load ptr, ptr %cursor
  %next = getelementptr i64, ptr %at, i64 1
  %number = ptrtoint ptr %next to i64
  %within = and i64 %number, 65535
  %over = icmp eq i64 %within, 0
  br i1 %over, label %full, label %go, !prof !0
full:
  %more = call preserve_mostcc ptr @ordain.rec.slow(ptr %next)
  br label %go
go:
  %to = phi ptr [ %next, %0 ], [ %more, %full ]
  store i64 1, ptr %to
  store ptr %to, ptr %cursor
  store i64 1, ptr %word
  ret void
}

; Before a decision of `count` bits: they go into one word.
define void @ordain.rec.room(ptr %cursor, ptr %word, i64 %count) alwaysinline nounwind {
  %old = load i64, ptr %word
  %free = sub i64 64, %count
  %top = lshr i64 %old, %free
  %full = icmp ne i64 %top, 0
  br i1 %full, label %next, label %go, !prof !0
next:
  call void @ordain.rec.advance(ptr %cursor, ptr %word)
  br label %go
go:
  ret void
}

; After it, where the decision is a constant.
define void @ordain.rec.bits(ptr %cursor, ptr %word, i64 %bits, i64 %count) alwaysinline nounwind {
  %before = load i64, ptr %word
  %moved = shl i64 %before, %count
  %after = or i64 %moved, %bits
  store i64 %after, ptr %word
  %at = load ptr, ptr %cursor
  store i64 %after, ptr %at
  ret void
}

; A value in a word of its own. Plus one, so that the word is not zero.
define void @ordain.rec.raw(ptr %cursor, ptr %word, i64 %value) alwaysinline nounwind {
  call void @ordain.rec.advance(ptr %cursor, ptr %word)
  %at = load ptr, ptr %cursor
  %more = add i64 %value, 1
  store i64 %more, ptr %at
  call void @ordain.rec.advance(ptr %cursor, ptr %word)
  ret void
}

define preserve_mostcc ptr @ordain.rec.slow.values(ptr %end) noinline cold nounwind {
  %more = call ptr @ordain_rec_more_values(ptr %end)
  ret ptr %more
}

; A value that is too far from the one before to be said by a difference.
define preserve_mostcc void @ordain.rec.long(i64 %value) noinline cold nounwind {
  call void @ordain_rec_long_value(i64 %value)
  ret void
}

; A value as its difference from the one at %last, which it replaces: `difference_unit` in ordain-rt's `format.rs`.
define void @ordain.rec.difference(ptr %last, i64 %value) alwaysinline nounwind {
  %before = load i64, ptr %last
  store i64 %value, ptr %last
  %difference = sub i64 %value, %before
  %biased = add i64 %difference, 2147483648
  %above = sub i64 %biased, 5
  %far = icmp ugt i64 %above, 4294967290
  br i1 %far, label %long, label %short, !prof !0
long:
  call preserve_mostcc void @ordain.rec.long(i64 %value)
  ret void
short:
  %local = call ptr @llvm.threadlocal.address.p0(ptr @ordain_rec_local)
  %place = getelementptr i8, ptr %local, i64 16
  %at = load ptr, ptr %place
  %unit = trunc i64 %biased to i32
  store i32 %unit, ptr %at
  %next = getelementptr i32, ptr %at, i64 1
  %number = ptrtoint ptr %next to i64
  %within = and i64 %number, 65535
  %over = icmp eq i64 %within, 0
  br i1 %over, label %full, label %go, !prof !0
full:
  %more = call preserve_mostcc ptr @ordain.rec.slow.values(ptr %next)
  br label %go
go:
  %to = phi ptr [ %next, %short ], [ %more, %full ]
  store ptr %to, ptr %place
  ret void
}

; A value that was read, in a slot.
define void @ordain.rec.value(i64 %slot, i64 %value) alwaysinline nounwind {
  %slots = call ptr @llvm.threadlocal.address.p0(ptr @ordain_rec_slots)
  %last = getelementptr i64, ptr %slots, i64 %slot
  call void @ordain.rec.difference(ptr %last, i64 %value)
  ret void
}

; When something happened that threads have to do with each other by.
define void @ordain.rec.time() alwaysinline nounwind {
  %local = call ptr @llvm.threadlocal.address.p0(ptr @ordain_rec_local)
  %last = getelementptr i8, ptr %local, i64 24
  %now = call i64 @llvm.readcyclecounter()
  call void @ordain.rec.difference(ptr %last, i64 %now)
  ret void
}

; A value that mostly is what was read here last time: one bit says whether it is another.
define void @ordain.rec.change(ptr %cursor, ptr %word, i64 %slot, i64 %value) alwaysinline nounwind {
  call void @ordain.rec.room(ptr %cursor, ptr %word, i64 1)
  %slots = call ptr @llvm.threadlocal.address.p0(ptr @ordain_rec_slots)
  %last = getelementptr i64, ptr %slots, i64 %slot
  %before = load i64, ptr %last
  %other = icmp ne i64 %before, %value
  br i1 %other, label %new, label %same, !prof !0
new:
  call void @ordain.rec.bits(ptr %cursor, ptr %word, i64 1, i64 1)
  call void @ordain.rec.difference(ptr %last, i64 %value)
  ret void
same:
  call void @ordain.rec.bits(ptr %cursor, ptr %word, i64 0, i64 1)
  ret void
}

; The same of an atomic load: also when it was that something else was read.
define void @ordain.rec.change.timed(ptr %cursor, ptr %word, i64 %slot, i64 %value) alwaysinline nounwind {
  call void @ordain.rec.room(ptr %cursor, ptr %word, i64 1)
  %slots = call ptr @llvm.threadlocal.address.p0(ptr @ordain_rec_slots)
  %last = getelementptr i64, ptr %slots, i64 %slot
  %before = load i64, ptr %last
  %other = icmp ne i64 %before, %value
  br i1 %other, label %new, label %same
new:
  call void @ordain.rec.bits(ptr %cursor, ptr %word, i64 1, i64 1)
  call void @ordain.rec.difference(ptr %last, i64 %value)
  call void @ordain.rec.time()
  ret void
same:
  call void @ordain.rec.bits(ptr %cursor, ptr %word, i64 0, i64 1)
  ret void
}

; The same of one of which nothing but that is noted.
define void @ordain.rec.change.time(ptr %cursor, ptr %word, i64 %slot, i64 %value) alwaysinline nounwind {
  call void @ordain.rec.room(ptr %cursor, ptr %word, i64 1)
  %slots = call ptr @llvm.threadlocal.address.p0(ptr @ordain_rec_slots)
  %last = getelementptr i64, ptr %slots, i64 %slot
  %before = load i64, ptr %last
  %other = icmp ne i64 %before, %value
  br i1 %other, label %new, label %same
new:
  call void @ordain.rec.bits(ptr %cursor, ptr %word, i64 1, i64 1)
  store i64 %value, ptr %last
  call void @ordain.rec.time()
  ret void
same:
  call void @ordain.rec.bits(ptr %cursor, ptr %word, i64 0, i64 1)
  ret void
}

!0 = !{!"branch_weights", i32 1, i32 2000}
