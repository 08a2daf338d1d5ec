import type { ErrorClass } from '#core/errors/error-class.ts';
import type { Fault } from '../../emulator/vendor.ts';
import {
  AGENTIC,
  askingCalls,
  askingFew,
  askingJson,
  CHAINS,
  CHAT,
  CODE,
  OWN,
  ROUTED,
  SEARCHING,
  WEB,
  type Chain,
} from './ask-classes.ts';
import type { SetUp } from './ask-under-test.ts';

export type Delivery = 'whole' | 'stream';

/** Once: its next request alone. Always: all of them, so that somebody else has to answer. */
export type HowOften = 'once' | 'always';

/**
 * What comes of a fault:
 *
 * - `through`: the provider puts it right by itself, and there is one attempt.
 * - `again`: the same model is asked once more; where that fails, too, the next.
 * - `next`: the next model is asked at once.
 * - `elsewhere`: at once the next model of another provider.
 */
export type Does = 'through' | 'again' | 'next' | 'elsewhere';

export interface AskOutcome {
  /** How the attempt ends that the fault befalls; nothing where it does no harm. */
  readonly is?: ErrorClass;
  readonly does: Does;
  /**
   * Its reader has some of it by then, and whoever answers goes on from there. The vendor had
   * `counted` its tokens, or not.
   */
  readonly broken?: 'counted' | 'uncounted';
  /** The whole provider is left alone when its second try fails as well. */
  readonly away?: true;
  /** Who is not asked by the question that comes after this one. */
  readonly rests?: 'model' | 'account';
  /** The usage was counted by us. */
  readonly estimated?: true;
  /** The answer ends there, and says so. */
  readonly cutTo?: number;
  /** Requests to the vendor for one attempt; one unless told. */
  readonly requests?: number;
  /** Searches of ours that the model calls within its attempt; none unless told. */
  readonly searches?: number;
}

export interface AskFaultRow {
  /** Of the list of faults in the facts. */
  readonly fault: string;
  readonly what: string;
  readonly plan: Omit<Fault, 'vendor' | 'path' | 'times'>;
  /**
   * Forty `numbers` unless told; a `few` of them, without a search, as its findings are many;
   * `calls` of a tool; an object of `json`; numbers after a `search` by Kimi.
   */
  readonly ask?: 'numbers' | 'few' | 'calls' | 'json' | 'search';
  /** Whoever leads; all unless told. */
  readonly who?: readonly SetUp[];
  /** Only where it is asked to think, or is not. */
  readonly thinks?: Chain['thinks'];
  readonly deliveries?: readonly Delivery[];
  /** Both unless told. */
  readonly often?: readonly HowOften[];
  /** What has to run out: nothing unless told. */
  readonly runsOut?: 'first token' | 'silence';
  readonly expect: AskOutcome | Readonly<Record<Delivery, AskOutcome>>;
  readonly by?: Readonly<Partial<Record<SetUp, AskOutcome>>>;
}

export const WHOLE = ['whole'] as const;
export const STREAM = ['stream'] as const;
export const ONCE = ['once'] as const;

export const again = (is: ErrorClass): AskOutcome => ({ is, does: 'again' });
export const next = (is: ErrorClass, more: Partial<AskOutcome> = {}): AskOutcome => ({
  is,
  does: 'next',
  ...more,
});
export const elsewhere = (is: ErrorClass, more: Partial<AskOutcome> = {}): AskOutcome => ({
  is,
  does: 'elsewhere',
  ...more,
});
export const broken = (
  is: ErrorClass,
  tokens: 'counted' | 'uncounted' = 'uncounted',
  does: Does = 'again',
): AskOutcome => ({ is, does, broken: tokens });
export const THROUGH: AskOutcome = { does: 'through' };

export function leaderOf({ leader }: Chain): SetUp {
  return leader.slice(0, leader.indexOf('/')) as SetUp;
}

/** Chains that a row is about. */
export function chainsOf({ who, thinks, ask = 'numbers' }: AskFaultRow): readonly Chain[] {
  const isMet = (chain: Chain) =>
    (who === undefined || who.includes(leaderOf(chain))) &&
    (thinks === undefined || thinks === chain.thinks);
  switch (ask) {
    case 'numbers':
      return [...CHAINS, ROUTED, OWN].filter(isMet);
    case 'few':
      return [...CHAINS, ROUTED, OWN]
        .filter((chain) => chain !== WEB && isMet(chain))
        .map(askingFew);
    case 'calls':
      return [AGENTIC].filter(isMet).map(askingCalls);
    case 'json':
      return [CHAT, CODE].filter(isMet).map(askingJson);
    case 'search':
      return [SEARCHING];
  }
}
