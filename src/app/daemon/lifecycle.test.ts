import { describe, expect, test } from 'vitest';
import { CallError } from '#core/errors/call-error.ts';
import { createFakeClock } from '../../../test/fake-clock.ts';
import { afterWaiting } from '../../../test/after-waiting.ts';
import { createLifecycle, type LifecyclePart } from './lifecycle.ts';

describe('a lifecycle', () => {
  test('starts parts in order and stops them in reverse', async () => {
    const { lifecycle, seen, part } = setUp();
    await lifecycle.start('one', part('one'));
    await lifecycle.start('two', part('two'));
    await lifecycle.stop(() => undefined);
    expect(seen).toEqual(['start one', 'start two', 'stop two', 'stop one']);
  });

  test('stops only what had started when a part fails', async () => {
    const { lifecycle, seen, part } = setUp();
    await lifecycle.start('one', part('one'));
    const failing: LifecyclePart<void> = {
      start: () => Promise.reject(new Error('no')),
      stop: () => {},
    };
    await expect(lifecycle.start('two', failing)).rejects.toThrow('no');
    await lifecycle.stop(() => undefined);
    expect(seen).toEqual(['start one', 'stop one']);
  });

  test('reports a part that fails to stop and stops the others', async () => {
    const { lifecycle, seen, part } = setUp();
    const problems: [string, string][] = [];
    await lifecycle.start('one', part('one'));
    await lifecycle.start('two', {
      start: () => undefined,
      stop: () => Promise.reject(new CallError('network', 'gone')),
    });
    await lifecycle.stop((name, error) => problems.push([name, error.class]));
    expect(problems).toEqual([['two', 'network']]);
    expect(seen).toEqual(['start one', 'stop one']);
  });

  test('skips a part that does not stop in time', async () => {
    const { lifecycle, seen, part, clock } = setUp();
    const problems: [string, string][] = [];
    await lifecycle.start('one', part('one'));
    await lifecycle.start('two', {
      start: () => undefined,
      stop: () => new Promise(() => {}),
      stopWithinMs: 100,
    });
    const stopped = lifecycle.stop((name, error) => problems.push([name, error.class]));
    await clock.untilWaiting();
    clock.advance(100);
    expect(await stopped).toEqual(['two']);
    expect(problems).toEqual([['two', 'timeout']]);
    expect(seen).toEqual(['start one', 'stop one']);
  });

  test('stops within ten seconds beside the drain, however many parts hang', async () => {
    const { lifecycle, clock } = setUp();
    const late: string[] = [];
    const hangs = { start: () => undefined, stop: () => new Promise<void>(() => {}) };
    await lifecycle.start('store', { ...hangs, stopWithinMs: 10_000 });
    for (const name of ['one', 'two']) await lifecycle.start(name, hangs);
    await lifecycle.start('doors', { ...hangs, drainMs: 60_000, stopWithinMs: 1000 });
    const before = clock.monotonic();
    await afterWaiting(
      clock,
      lifecycle.stop((name) => late.push(name)),
    );
    expect(late).toEqual(['doors', 'two', 'one', 'store']);
    expect(clock.monotonic() - before).toBeLessThanOrEqual(60_000 + 10_000 + 4 * 500);
  });

  test('stops each part once, however often it is called', async () => {
    const { lifecycle, seen, part } = setUp();
    await lifecycle.start('one', part('one'));
    await Promise.all([lifecycle.stop(() => undefined), lifecycle.stop(() => undefined)]);
    expect(seen).toEqual(['start one', 'stop one']);
  });
});

function setUp() {
  const clock = createFakeClock();
  const seen: string[] = [];
  const part = (name: string): LifecyclePart<string> => ({
    start() {
      seen.push(`start ${name}`);
      return name;
    },
    stop: (started) => void seen.push(`stop ${started}`),
  });
  return { clock, lifecycle: createLifecycle(clock), seen, part };
}
