import type { StreamTimeouts } from '#core/llm/provider.ts';
import type { Store } from '#core/stores/store.ts';
import { leaderOf } from './ask-fault-row.ts';
import { SET_UP } from './ask-under-test.ts';
import type { Sent } from './gateway-client.ts';
import { leaks, wrongAnswer, wrongStory } from './gateway-fault-check.ts';
import type { GatewayFaultCase } from './gateway-fault-table.ts';
import { bodyOf } from './gateway-requests.ts';
import { openGatewayHarness, type GatewayHarness } from './gateway-under-test.ts';
import { runInHarnesses } from './run-in-harnesses.ts';

/** What came of a case, and whatever is not as it should be. */
export interface GatewaySeen {
  readonly sent: Sent;
  /** As they are on disk: `kimi/kimi-k3 network`. */
  readonly attempts: readonly string[];
  readonly wrong: readonly string[];
}

const RUNS_OUT_MS = 1000;
const LONG_MS = 20_000;

export function runGatewayFaults(
  cases: readonly GatewayFaultCase[],
  store: Store,
  atOnce: number,
): Promise<ReadonlyMap<GatewayFaultCase, GatewaySeen>> {
  return runInHarnesses(cases, atOnce, () => openGatewayHarness({ store }), runGatewayFault);
}

export async function runGatewayFault(
  each: GatewayFaultCase,
  harness: GatewayHarness,
): Promise<GatewaySeen> {
  const { chain, delivery, shape } = each;
  const rig = await harness.rig({ patience: patienceFor(each) });
  planFaults(each, harness);
  const sent = await rig.send({ shape, body: bodyOf(shape, chain.request, delivery) });
  const wrong = [
    ...wrongAnswer(each, sent),
    ...(await wrongStory(each, sent, rig)),
    ...leaks(sent, rig),
  ];
  const stored = await rig.attempts(String(sent.headers['x-exai-req-id']));
  wrong.push(...(await rig.held()).map((held) => `still held: ${held}`));
  return {
    sent,
    attempts: stored.map(({ provider, model, outcome }) => `${provider}/${model} ${outcome}`),
    wrong,
  };
}

/** For those who cannot fail like the leader, being overloaded is the same to whoever asks. */
const INSTEAD = 'F3';

function planFaults({ row, chain, often }: GatewayFaultCase, { emulator }: GatewayHarness): void {
  const leader = SET_UP[leaderOf(chain)];
  const times = often === 'once' ? 1 : 0;
  emulator.fault({ ...row.plan, vendor: leader, path: 'chat', times });
  if (often !== 'everybody') return;
  for (const vendor of Object.values(SET_UP)) {
    if (vendor === leader) continue;
    try {
      emulator.fault({ ...row.plan, vendor, path: 'chat', times });
    } catch {
      // This vendor has no such fault.
      emulator.fault({ id: INSTEAD, vendor, path: 'chat', times });
    }
  }
}

/**
 * Short where something is to run out, and long enough for a busy machine everywhere else. How long
 * a whole answer may take goes by the time that a first word has.
 */
function patienceFor({ row: { runsOut }, delivery }: GatewayFaultCase): StreamTimeouts {
  const long = { firstTokenMs: LONG_MS, idleMs: LONG_MS };
  if (runsOut === undefined) return long;
  return runsOut === 'silence' && delivery === 'stream'
    ? { ...long, idleMs: RUNS_OUT_MS }
    : { ...long, firstTokenMs: RUNS_OUT_MS };
}

export function nameOf({ row, chain, often, delivery, expected }: GatewayFaultCase): string {
  const { is, does, broken } = expected;
  const how = `${row.plan.id}, ${often}, ${delivery === 'whole' ? 'JSON' : 'SSE'}`;
  const goes = broken ? 'goes on' : 'answers';
  const end =
    is === undefined || does === 'through'
      ? 'answered'
      : often === 'everybody'
        ? `${is}, and nobody answers`
        : often === 'once' && does === 'again'
          ? `${is}, and the same model ${goes}`
          : `${is}, and somebody else ${goes}`;
  return `${chain.name}: ${row.fault}, ${row.what} (${how}): ${end}`;
}
