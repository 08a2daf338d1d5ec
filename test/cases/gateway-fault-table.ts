import type { ErrorClass } from '#core/errors/error-class.ts';
import {
  askingCalls,
  askingFew,
  askingJson,
  CHAT,
  OWN,
  ROUTED,
  SEARCHING,
  type Chain,
} from './ask-classes.ts';
import {
  leaderOf,
  type AskFaultRow,
  type AskOutcome,
  type Delivery,
  type HowOften,
} from './ask-fault-row.ts';
import { ASK_FAULT_TABLE, expectedAttempts, type ExpectedAttempt } from './ask-fault-table.ts';
import { ADD } from './provider-requests.ts';
import type { Shape } from './gateway-readers.ts';

/** Beside what befalls the leader: the same befalls everybody, so that nobody is left to answer. */
export type GatewayOften = HowOften | 'everybody';

/**
 * One cell: a fault, the chain whose leader it befalls, how often, how the answer was to come, and
 * in whose words.
 */
export interface GatewayFaultCase {
  readonly row: AskFaultRow;
  readonly chain: Chain;
  readonly often: GatewayOften;
  readonly delivery: Delivery;
  readonly shape: Shape;
  readonly expected: AskOutcome;
}

/** Where Kimi leads, thinking, and GLM behind it; and the other way round, without thoughts. */
const KIMI: Chain = {
  ...CHAT,
  name: 'Kimi, then GLM',
  request: { ...CHAT.request, model: 'kimi-k3' },
  thinks: 'yes',
  leader: 'kimi/kimi-k3',
  next: 'glm/glm-4.7-flash',
  elsewhere: 'glm/glm-4.7-flash',
};
const GLM: Chain = {
  ...CHAT,
  name: 'GLM, then Kimi',
  request: { ...CHAT.request, model: 'glm-4.7-flash' },
};
const WITH_TOOLS: readonly Chain[] = [
  {
    ...KIMI,
    request: { ...KIMI.request, tools: [ADD] },
    next: 'glm/glm-5.3',
    elsewhere: 'glm/glm-5.3',
  },
  {
    ...GLM,
    request: { ...GLM.request, model: 'glm-5.3', tools: [ADD] },
    thinks: 'yes',
    leader: 'glm/glm-5.3',
    next: 'kimi/kimi-k3',
    elsewhere: 'kimi/kimi-k3',
  },
];

/**
 * Kimi and GLM, and the others for what happens to nobody else: asking.md's own table has them all.
 */
export function gatewayChainsOf({ who, thinks, ask = 'numbers' }: AskFaultRow): readonly Chain[] {
  const isMet = (chain: Chain) =>
    (who === undefined || who.includes(leaderOf(chain))) &&
    (thinks === undefined || thinks === chain.thinks);
  const isOthers = who !== undefined && !who.includes('kimi') && !who.includes('glm');
  const plain = (isOthers ? [ROUTED, OWN] : [KIMI, GLM]).filter(isMet);
  // Who is told to think little has no less to fall back to.
  if (thinks === 'yes') return WITH_TOOLS;
  switch (ask) {
    case 'numbers':
      return plain;
    case 'few':
      return plain.map(askingFew);
    case 'calls':
      return WITH_TOOLS.filter(isMet).map(askingCalls);
    case 'json':
      return [KIMI, GLM].filter(isMet).map(askingJson);
    case 'search':
      return [SEARCHING];
  }
}

const DELIVERIES = ['whole', 'stream'] as const;
const BOTH = ['once', 'always'] as const;

export function gatewayFaultCases(shape: Shape): readonly GatewayFaultCase[] {
  return ASK_FAULT_TABLE.filter((row) => !isLimited(row, shape)).flatMap((row) =>
    gatewayChainsOf(row).flatMap((chain) =>
      (row.deliveries ?? DELIVERIES).flatMap((delivery) => {
        const outcomes = row.by?.[leaderOf(chain)] ?? row.expect;
        const outcome = 'does' in outcomes ? outcomes : outcomes[delivery];
        const often: readonly GatewayOften[] = [
          ...(row.often ?? BOTH),
          ...(mayBefallAll(row, outcome) ? ['everybody' as const] : []),
        ];
        return often.map((each) => ({
          row,
          chain,
          often: each,
          delivery,
          shape,
          expected: outcome,
        }));
      }),
    ),
  );
}

/**
 * Anthropic's clients name a limit: thoughts that ate it up are no fault, but its end. See
 * `gateway-limits.test.ts`.
 */
function isLimited({ fault }: AskFaultRow, shape: Shape): boolean {
  return fault === 'F13' && shape === 'anthropic';
}

/** What is put right befalls nobody, and silence of everybody has stories of its own. */
function mayBefallAll({ runsOut, often }: AskFaultRow, { does }: AskOutcome): boolean {
  return does !== 'through' && runsOut === undefined && often === undefined;
}

/** Nothing where everybody fails: who is asked then, and how often, is told by how they fail. */
export function attemptsOf(each: GatewayFaultCase): readonly ExpectedAttempt[] | undefined {
  const { often } = each;
  return often === 'everybody' ? undefined : expectedAttempts({ ...each, often });
}

const LIMITED: ReadonlySet<ErrorClass> = new Set<ErrorClass>([
  'rate_limit',
  'quota',
  'overloaded',
  'over_capacity',
]);

/** How a request may end when everybody failed, by how they failed. */
export function lastText({
  expected: { is, broken },
  delivery,
}: GatewayFaultCase): readonly (ErrorClass | 'ok')[] {
  // Where each says a little more before it breaks off, the last may come to the end.
  if (broken && delivery === 'stream') return ['interrupted', 'ok'];
  // All are limited, each in its own words: the client is told of the limit.
  if (is !== undefined && LIMITED.has(is)) return [is, 'rate_limit', 'overloaded'];
  return is === 'content_filter' ? [is, 'exhausted_fallback_chain'] : ['exhausted_fallback_chain'];
}
