import type { CallLimits } from '../../src/calls/limits.ts';
import type { SeededRandom } from './random.ts';
import { TOOL_NAMES } from './sim-tools.ts';
import type { SpeechName } from './speech.ts';

export type Badge = 'owner' | 'reader' | 'helper' | 'stranger' | 'none';

export interface ClientPlan {
  readonly speech: SpeechName;
  readonly by: 'ws' | 'unix' | 'shim';
  readonly badge: Badge;
}

export type ClientAct =
  | {
      readonly is: 'call';
      readonly tool: string;
      readonly args: object;
      /** `end`: it sends no more, and waits for what it is owed. */
      readonly afterwards: 'more' | 'end';
    }
  | { readonly is: 'cancel' | 'duplicate'; readonly back: number }
  | { readonly is: 'cancel-unknown' | 'list' | 'end' | 'cut' }
  | { readonly is: 'garbage'; readonly which: number }
  | { readonly is: 'dawdle'; readonly ms: number };

export type WorldAct =
  | { readonly is: 'crash' | 'drain'; readonly downMs: number }
  | { readonly is: 'disk-full'; readonly ms: number }
  /** Held for so long, as by SIGSTOP; then it goes on, or is killed. */
  | { readonly is: 'freeze'; readonly ms: number; readonly end: 'thaw' | 'kill' }
  | { readonly is: 'revoke' | 'rotate'; readonly badge: 'reader' | 'helper' }
  | { readonly is: 'tools-change' };

export type Action =
  | { readonly atMs: number; readonly by: number; readonly act: ClientAct }
  | { readonly atMs: number; readonly by: 'world'; readonly act: WorldAct };

export interface Plan {
  readonly limits: CallLimits;
  readonly maxWaiting: number;
  readonly needsToken: boolean;
  readonly clients: readonly ClientPlan[];
  readonly actions: readonly Action[];
}

const SPAN_MS = 4000;
const DURATIONS = [0, 5, 40, 300, 300, 900, 2500, 3000];

/** What happens in a run, before it begins: so that a failing one can be tried again with less. */
export function planOf(random: SeededRandom): Plan {
  const needsToken = random.chance(0.5);
  const clients = Array.from({ length: random.between(1, 4) }, () => clientOf(random, needsToken));
  const count = random.between(6, 28);
  const actions = Array.from({ length: count }, () => ({
    atMs: random.between(0, SPAN_MS),
    by: random.between(0, clients.length - 1),
    act: actOf(random),
  }));
  // Bursts are where queues fill and limits matter.
  const burstAt = random.between(0, SPAN_MS);
  const burst = Array.from({ length: random.chance(0.5) ? random.between(3, 10) : 0 }, () => ({
    atMs: burstAt + random.between(0, 3),
    by: random.between(0, clients.length - 1),
    act: callOf(random),
  }));
  return {
    limits: {
      global: random.between(1, 5),
      kimi: random.between(1, 2),
      glm: random.between(1, 2),
      session: random.between(1, 3),
    },
    maxWaiting: random.between(0, 4),
    needsToken,
    clients,
    actions: [...actions, ...burst, ...faultsOf(random)].sort((a, b) => a.atMs - b.atMs),
  };
}

function clientOf(random: SeededRandom, needsToken: boolean): ClientPlan {
  const by = random.pick(['ws', 'ws', 'unix', 'shim'] as const);
  const speech = random.pick(
    by === 'shim'
      ? (['modern', 'legacy'] as const)
      : (['modern', 'legacy', 'exai', 'exai'] as const),
  );
  const owner = needsToken ? 'owner' : 'none';
  // Few come in vain: whoever is refused tries nothing further.
  const badge = random.chance(0.08)
    ? random.pick(['stranger', 'none'] as const)
    : random.pick([owner, owner, owner, 'reader', 'helper'] as const);
  return { by, speech, badge };
}

function actOf(random: SeededRandom): ClientAct {
  const lot = random.next();
  if (lot < 0.6) return callOf(random);
  if (lot < 0.78) return { is: 'cancel', back: random.between(0, 3) };
  if (lot < 0.82) return { is: 'duplicate', back: random.between(0, 2) };
  if (lot < 0.84) return { is: 'cancel-unknown' };
  if (lot < 0.87) return { is: 'list' };
  if (lot < 0.9) return { is: 'garbage', which: random.between(0, 99) };
  if (lot < 0.94) return { is: 'dawdle', ms: random.between(10, 1500) };
  return { is: lot < 0.97 ? 'end' : 'cut' };
}

function callOf(random: SeededRandom): ClientAct {
  const name = random.pick(TOOL_NAMES);
  const afterwards = random.chance(0.04) ? 'end' : 'more';
  const lot = random.next();
  if (lot < 0.04) return { is: 'call', tool: `${name}x`, args: {}, afterwards };
  if (lot < 0.08) return { is: 'call', tool: name, args: { ms: 'long' }, afterwards };
  // Often the same, so that calls meet their like.
  const args = random.chance(0.4)
    ? { ms: 300 }
    : { ms: random.pick(DURATIONS), ...(random.chance(0.3) && { key: random.pick(['a', 'b']) }) };
  return { is: 'call', tool: random.chance(0.1) ? `${name}_EXAI-WS` : name, args, afterwards };
}

function faultsOf(random: SeededRandom): Action[] {
  const faults: WorldAct[] = [];
  if (random.chance(0.3)) faults.push({ is: 'crash', downMs: random.between(0, 1500) });
  if (random.chance(0.15)) faults.push({ is: 'drain', downMs: random.between(0, 800) });
  if (random.chance(0.15)) faults.push({ is: 'disk-full', ms: random.between(20, 800) });
  if (random.chance(0.15)) faults.push({ is: 'tools-change' });
  if (random.chance(0.2)) faults.push(freezeOf(random));
  if (random.chance(0.2)) {
    const badge = random.pick(['reader', 'helper'] as const);
    faults.push({ is: random.pick(['revoke', 'rotate'] as const), badge });
  }
  return faults.map((act) => ({ atMs: random.between(0, SPAN_MS), by: 'world', act }));
}

/** Some are short, some are longer than anybody waits. */
function freezeOf(random: SeededRandom): WorldAct {
  const ms = random.chance(0.5) ? random.between(100, 3000) : random.between(20_000, 200_000);
  return { is: 'freeze', ms, end: random.chance(0.3) ? 'kill' : 'thaw' };
}
