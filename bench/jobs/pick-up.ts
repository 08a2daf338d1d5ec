import { systemClock } from '#app/system.ts';
import type { CallResult, Calls } from '#core/calls/calls.ts';
import type { NewId } from '#core/ids.ts';
import type { Store } from '#core/stores/store.ts';
import type { Tool } from '#core/tools/tool.ts';
import { createJobEngine } from '#jobs/job-engine.ts';
import { createListLog } from '../../test/list-log.ts';
import { median } from '../report.ts';

const TIMES = 300;

export interface PickUp {
  /** From the moment a call in the background is asked for until its work begins. */
  readonly begunMs: number;
  /** What storing it alone takes: it may not begin before. */
  readonly storedMs: number;
}

/** One after the other on an idle daemon: how long a job waits although nothing is in its way. */
export async function pickUp(store: Store, principal: string, newId: NewId): Promise<PickUp> {
  const tool = { name: 'probe', background: 'auto', resumable: false } as Tool;
  let begin: () => void = () => {};
  const answer: CallResult = {
    envelope: { status: 'success', tool: 'probe', attempt: 0, req_id: 'req_1', content: null },
    text: '',
  };
  const calls = {
    find: () => tool,
    accepts: () => true,
    start() {
      begin();
      return { reqId: newId('req'), answer: Promise.resolve(answer), cancel() {}, extend() {} };
    },
  } as Partial<Calls> as Calls;
  const engine = createJobEngine({
    store: store.jobs,
    calls,
    isCredentialValid: () => true,
    resolveCaller: async (caller) => caller,
    owner: 'bench',
    among: 'alone',
    inlineWaitMs: 45_000,
    timeoutMs: 60_000,
    running: 8,
    waiting: 1_000_000,
    keptDays: 30,
    clock: systemClock,
    newId,
    log: createListLog(),
  });
  const caller = { principal, scopes: ['*'], roots: [] };
  const begun: number[] = [];
  const stored: number[] = [];
  for (let n = 0; n < TIMES; n++) {
    const at = systemClock.monotonic();
    const started = new Promise<void>((resolve) => (begin = resolve));
    const background = { afterMs: 0, as: 'job' } as const;
    const { answer: told } = engine.calls.start({
      tool: 'probe',
      args: { n },
      caller,
      transport: 'bench',
      session: 'bench',
      background,
    });
    await told;
    stored.push(systemClock.monotonic() - at);
    await started;
    begun.push(systemClock.monotonic() - at);
  }
  await engine.stop();
  return { begunMs: median(begun), storedMs: median(stored) };
}
