import type { StreamTimeouts } from '#core/llm/provider.ts';
import type { Store } from '#core/stores/store.ts';
import { eventually } from '../eventually.ts';
import type { Chain } from './ask-classes.ts';
import {
  leaks,
  stillHeld,
  wrongAfter,
  wrongAttempts,
  wrongEnd,
  wrongRecords,
  wrongRequests,
} from './ask-fault-check.ts';
import { leaderOf } from './ask-fault-row.ts';
import type { AskFaultCase } from './ask-fault-table.ts';
import { openAskHarness, SET_UP, type Asked, type AskHarness } from './ask-under-test.ts';
import { runInHarnesses } from './run-in-harnesses.ts';

/** What came of a case: its story for people, and whatever is not as it should be. */
export interface AskSeen {
  readonly asked: Asked;
  readonly wrong: readonly string[];
}

const RUNS_OUT_MS = 1000;
const LONG_MS = 20_000;
/** A whole answer that does not come has its share of this, and leaves the rest to the next. */
const WHOLE_DEADLINE_MS = 6000;

export function runAskFaults(
  cases: readonly AskFaultCase[],
  store: Store,
  atOnce: number,
): Promise<ReadonlyMap<AskFaultCase, AskSeen>> {
  return runInHarnesses(cases, atOnce, () => openAskHarness({ store }), runAskFault);
}

export async function runAskFault(each: AskFaultCase, harness: AskHarness): Promise<AskSeen> {
  const { row, chain, delivery, often, expected } = each;
  const rig = await harness.manage({ patience: patienceFor(each) });
  const vendor = SET_UP[leaderOf(chain)];
  const times = often === 'once' ? 1 : 0;
  // A search that the model may leave be is one that it talks about.
  Object.assign(harness.emulator.switches['glm'] ?? {}, { searchIntent: 'always' });
  harness.emulator.fault({ ...row.plan, vendor, path: 'chat', times });
  const request = { ...chain.request, delivery };
  const deadlineMs = row.runsOut && delivery === 'whole' ? WHOLE_DEADLINE_MS : LONG_MS;
  try {
    const asked = await rig.ask(request, { tool: chain.tool, deadlineMs });
    const wrong = [
      ...wrongEnd(each, asked),
      ...wrongAttempts(each, asked),
      ...wrongRequests(each, rig.chats(vendor).length),
      ...(await wrongRecords(asked, rig)),
      ...leaks(asked, rig),
      ...(await stillHeld(rig)),
    ];
    if (expected.rests) {
      const before = rig.chats(vendor).length;
      const after = await rig.ask(request, { tool: chain.tool, deadlineMs });
      wrong.push(...wrongAfter(each, after, rig.chats(vendor).length - before));
    }
    await rig.close();
    if (!(await allTimersGone(harness))) wrong.push('timers were left');
    return { asked, wrong };
  } finally {
    await rig.close();
  }
}

/** Short where something is to run out, and long enough for a busy machine everywhere else. */
function patienceFor({ row: { runsOut }, delivery }: AskFaultCase): StreamTimeouts {
  const long = { firstTokenMs: LONG_MS, idleMs: LONG_MS };
  if (runsOut === undefined || delivery === 'whole') return long;
  return runsOut === 'silence'
    ? { ...long, idleMs: RUNS_OUT_MS }
    : { ...long, firstTokenMs: RUNS_OUT_MS };
}

/** Those of a connection that is given up go in a moment. */
async function allTimersGone(harness: AskHarness): Promise<boolean> {
  return await eventually(() => harness.timers() === 0);
}

export function nameOf({ row, chain, often, delivery, expected }: AskFaultCase): string {
  const how = `${row.plan.id}, ${often}, ${delivery}`;
  return `${chain.name}: ${row.fault}, ${row.what} (${how}): ${endOf(chain, expected, often)}`;
}

function endOf(
  chain: Chain,
  { is, does, broken }: AskFaultCase['expected'],
  often: string,
): string {
  if (is === undefined || does === 'through') return `${chain.leader} answers`;
  const goes = broken ? 'goes on' : 'answers';
  if (often === 'always') return `${is}, and ${chain.elsewhere} ${goes}`;
  if (does === 'again') return `${is}, and ${chain.leader} ${goes} when it is asked again`;
  return `${is}, and ${does === 'next' ? chain.next : chain.elsewhere} ${goes}`;
}
