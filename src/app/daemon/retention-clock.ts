import type { Store } from '#core/stores/store.ts';
import type { Log } from '#core/telemetry/telemetry.ts';
import type { Clock } from '#core/time/clock.ts';
import {
  judgeClock,
  readClockRecord,
  writeClockRecord,
  type ClockJump,
  type ClockRecord,
} from '#core/time/clock-trust.ts';

/** The time from which retention counts: the wall clock, as far as stored and running time justify it. */
export interface RetentionClock {
  /** Undefined while the clock is ahead of what is justified, so that nothing may be removed. */
  time(): Promise<number | undefined>;
  /** The jump that the last `time` found. */
  jump(): ClockJump | undefined;
  /** The owner says that it is this late. */
  confirm(nowMs: number): Promise<void>;
}

/** Shared by the daemons of one store. */
const SETTING = 'retention_clock';

export interface RetentionClockDeps {
  readonly store: Pick<Store, 'settings' | 'newestRowMs'>;
  readonly clock: Pick<Clock, 'now' | 'monotonic'>;
  readonly log: Log;
}

export function createRetentionClock({ store, clock, log }: RetentionClockDeps): RetentionClock {
  let judgedAt = clock.monotonic();
  let jump: ClockJump | undefined;
  // One at a time, so that the running time counts once.
  let last: Promise<unknown> = Promise.resolve();
  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const next = last.then(work);
    last = next.catch(() => undefined);
    return next;
  }

  /** A store of an older version has no record; its newest row was written before now. */
  async function load(nowMs: number): Promise<ClockRecord> {
    const record = readClockRecord(await store.settings.get(SETTING));
    return record ?? { trustedMs: (await store.newestRowMs()) ?? nowMs };
  }

  const save = (record: ClockRecord) => store.settings.set(SETTING, writeClockRecord(record));

  async function judge(): Promise<number | undefined> {
    const [nowMs, ranAt] = [clock.now(), clock.monotonic()];
    const judged = judgeClock(await load(nowMs), nowMs, ranAt - judgedAt);
    await save(judged.record);
    judgedAt = ranAt;
    report(judged.jump);
    return jump?.direction === 'ahead' ? undefined : nowMs;
  }

  function report(found: ClockJump | undefined): void {
    if (found && found.direction !== jump?.direction) {
      log.warn('clock_jumped', {
        direction: found.direction,
        trusted: new Date(found.trustedMs).toISOString(),
        now: new Date(found.nowMs).toISOString(),
      });
    }
    if (!found && jump) log.info('clock_trusted');
    jump = found;
  }

  return {
    time: () => inTurn(judge),
    jump: () => jump,
    confirm: (nowMs) =>
      inTurn(async () => {
        await save({ trustedMs: nowMs });
        report(undefined);
      }),
  };
}
