import { getEventListeners } from 'node:events';
import { expect, test } from 'vitest';
import { createFakeClock } from '../../test/fake-clock.ts';
import { verifies } from '../../test/verifies.ts';
import { CallError } from '#core/errors/call-error.ts';
import { deadlineIn } from '#core/time/deadline.ts';
import { startTimeouts } from './timeouts.ts';

const STREAM = { firstTokenMs: 30_000, idleMs: 60_000 };

function start(more: { totalMs?: number; stream?: typeof STREAM } = {}) {
  const clock = createFakeClock();
  const parent = new AbortController();
  const timers = startTimeouts({
    clock,
    deadline: deadlineIn(clock, more.totalMs ?? 600_000),
    stream: more.stream,
    signal: parent.signal,
  });
  return {
    clock,
    parent,
    timers,
    reason: () => timers.signal.reason as CallError | undefined,
    left: () => [clock.waiting, getEventListeners(parent.signal, 'abort').length],
  };
}

verifies('wire:timers', 'a first token that does not come ends the wait', () => {
  const it = start({ stream: STREAM });
  it.clock.advance(29_999);
  expect(it.timers.signal.aborted).toBe(false);
  it.clock.advance(1);
  expect(it.reason()).toMatchObject({
    class: 'timeout',
    message: 'No first token within 30 seconds.',
  });
  expect(it.left()).toEqual([0, 0]);
});

verifies('wire:timers', 'silence after the first token ends the wait', () => {
  const it = start({ stream: STREAM });
  it.clock.advance(20_000);
  it.timers.progress();
  it.clock.advance(50_000);
  it.timers.progress();
  it.clock.advance(59_999);
  expect(it.timers.signal.aborted).toBe(false);
  it.clock.advance(1);
  expect(it.reason()?.message).toBe('Nothing for 60 seconds after the answer had begun.');
  expect(it.left()).toEqual([0, 0]);
});

verifies('wire:timers', 'silence is noticed before a late first token would have been', () => {
  const it = start({ stream: { firstTokenMs: 90_000, idleMs: 1500 } });
  it.clock.advance(1000);
  it.timers.progress();
  it.clock.advance(1499);
  expect(it.timers.signal.aborted).toBe(false);
  it.clock.advance(1);
  expect(it.reason()?.message).toBe('Nothing for 1.5 seconds after the answer had begun.');
});

verifies('wire:timers', 'the deadline ends the wait whatever comes', () => {
  const it = start({ totalMs: 100_000, stream: STREAM });
  for (let second = 0; second < 100; second += 1) {
    expect(it.timers.signal.aborted).toBe(false);
    it.clock.advance(1000);
    it.timers.progress();
  }
  expect(it.reason()).toMatchObject({
    class: 'timeout',
    message: 'The deadline of this call has passed.',
  });
  expect(it.left()).toEqual([0, 0]);
});

test('without stream timeouts only the deadline counts', () => {
  const it = start({ totalMs: 5 });
  it.clock.advance(4);
  it.timers.progress();
  expect(it.timers.signal.aborted).toBe(false);
  it.clock.advance(1);
  expect(it.reason()?.class).toBe('timeout');
});

test('one timer waits at a time, however much comes', () => {
  const it = start({ stream: STREAM });
  for (let event = 0; event < 1000; event += 1) {
    it.timers.progress();
    it.clock.advance(100);
    expect(it.clock.waiting).toBe(1);
  }
  it.timers.dispose();
  expect(it.left()).toEqual([0, 0]);
});

test("the parent's reason is passed on", () => {
  const it = start({ stream: STREAM });
  const reason = new CallError('cancelled', 'gone');
  it.parent.abort(reason);
  expect(it.timers.signal.reason).toBe(reason);
  expect(it.left()).toEqual([0, 0]);
});

test('a parent that had gone before starts nothing', () => {
  const clock = createFakeClock();
  const signal = AbortSignal.abort(new CallError('cancelled', 'gone'));
  const timers = startTimeouts({ clock, deadline: deadlineIn(clock, 5), signal });
  expect([timers.signal.aborted, clock.waiting]).toEqual([true, 0]);
});

test('a deadline that has passed ends at once', () => {
  const it = start({ totalMs: 0, stream: STREAM });
  expect(it.reason()?.message).toBe('The deadline of this call has passed.');
  expect(it.left()).toEqual([0, 0]);
});

test('progress after the end changes nothing', () => {
  const it = start({ stream: STREAM });
  it.timers.dispose();
  it.timers.progress();
  it.clock.advance(1_000_000);
  expect(it.timers.signal.aborted).toBe(false);
  expect(it.left()).toEqual([0, 0]);
});

test('a wait longer than a timer of the machine can be is cut into several', () => {
  const it = start({ totalMs: 3 * 2 ** 31 });
  it.clock.advance(3 * 2 ** 31 - 1);
  expect(it.timers.signal.aborted).toBe(false);
  it.clock.advance(1);
  expect(it.timers.signal.aborted).toBe(true);
});

verifies(
  'wire:timers',
  'signs of life extend a pause up to the limit of the first token, and never beyond',
  () => {
    const it = start({ stream: { firstTokenMs: 300_000, idleMs: 30_000 } });
    it.clock.advance(1000);
    it.timers.progress();
    for (let beats = 0; beats < 14; beats += 1) {
      it.clock.advance(20_000);
      it.timers.alive();
      expect(it.timers.signal.aborted).toBe(false);
    }
    it.clock.advance(19_999);
    expect(it.timers.signal.aborted).toBe(false);
    it.clock.advance(1);
    expect(it.reason()).toMatchObject({
      class: 'timeout',
      message: 'Nothing for 300 seconds after the answer had begun.',
    });
  },
);

verifies('wire:timers', 'signs of life before the first token do not extend its limit', () => {
  const it = start({ stream: STREAM });
  for (let beats = 0; beats < 3; beats += 1) {
    it.clock.advance(9000);
    it.timers.alive();
  }
  it.clock.advance(3000);
  expect(it.reason()?.message).toBe('No first token within 30 seconds.');
});
