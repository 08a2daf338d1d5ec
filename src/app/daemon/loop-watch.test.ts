import { expect } from 'vitest';
import { createFakeClock } from '../../../test/fake-clock.ts';
import { createListLog } from '../../../test/list-log.ts';
import { verifies } from '../../../test/verifies.ts';
import { createMetrics } from '#telemetry/metrics/metrics.ts';
import { watchLoop } from './loop-watch.ts';

verifies(
  'stalls:watch',
  'a blocked event loop is logged and counted, with the tools that ran',
  () => {
    const clock = createFakeClock();
    const log = createListLog();
    const metrics = createMetrics();
    let late = 0;
    let cpu = 0;
    const watch = watchLoop({
      // While the loop is blocked, time passes and no timer runs.
      clock: { ...clock, monotonic: () => clock.monotonic() + late },
      log,
      metrics,
      cpuMs: () => cpu,
      tools: () => ['chat'],
    });
    clock.advance(1000);
    expect([watch.report(), log.lines]).toEqual([{ count: 0 }, []]);
    late += 70;
    clock.advance(50);
    expect(watch.report().count).toBe(0);
    late += 700;
    cpu += 650;
    clock.advance(50);
    late += 200;
    clock.advance(50);
    expect(watch.report()).toMatchObject({
      count: 2,
      longest: { ms: 725, cause: 'worked', cpuMs: 650, tools: ['chat'] },
    });
    expect(log.lines[0]).toEqual({
      event: 'event_loop_stalled',
      fields: { ms: 725, cause: 'worked', cpu_ms: 650, tools: ['chat'] },
    });
    expect(metrics.text()).toContain('exai_event_loop_stalls_total{cause="waited"} 1');
    expect(metrics.text()).toContain('exai_event_loop_longest_stall_seconds 0.725');
    watch.stop();
    late += 5000;
    clock.advance(1000);
    expect(watch.report().count).toBe(2);
  },
);
