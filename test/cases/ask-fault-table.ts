import { ASK_BREAKS } from './ask-fault-breaks.ts';
import { ASK_REFUSALS } from './ask-fault-refusals.ts';
import { ASK_REPAIRS } from './ask-fault-repairs.ts';
import type { Chain } from './ask-classes.ts';
import {
  chainsOf,
  leaderOf,
  type AskFaultRow,
  type AskOutcome,
  type Delivery,
  type HowOften,
} from './ask-fault-row.ts';

/** Every fault that asking can meet, with what comes of it for the chain of each class. */
export const ASK_FAULT_TABLE: readonly AskFaultRow[] = [
  ...ASK_REFUSALS,
  ...ASK_BREAKS,
  ...ASK_REPAIRS,
].toSorted((a, b) => Number(a.fault.slice(1)) - Number(b.fault.slice(1)));

/**
 * One cell: a fault, the chain whose leader it befalls, how often, and how the answer was to come.
 */
export interface AskFaultCase {
  readonly row: AskFaultRow;
  readonly chain: Chain;
  readonly often: HowOften;
  readonly delivery: Delivery;
  readonly expected: AskOutcome;
}

export function askFaultCases(): readonly AskFaultCase[] {
  return ASK_FAULT_TABLE.flatMap((row) =>
    chainsOf(row).flatMap((chain) =>
      (row.deliveries ?? (['whole', 'stream'] as const)).flatMap((delivery) => {
        const outcomes = row.by?.[leaderOf(chain)] ?? row.expect;
        const expected = 'does' in outcomes ? outcomes : outcomes[delivery];
        return (row.often ?? (['once', 'always'] as const)).map((often) => ({
          row,
          chain,
          often,
          delivery,
          expected,
        }));
      }),
    ),
  );
}

export interface ExpectedAttempt {
  /** `provider/model`. */
  readonly who: string;
  readonly outcome: string;
}

/** Who is asked, in which order, and how it ends each time. */
export function expectedAttempts({
  chain,
  often,
  expected,
}: AskFaultCase): readonly ExpectedAttempt[] {
  const { leader, next, elsewhere } = chain;
  const { is, does, away } = expected;
  const answered = (who: string) => [{ who, outcome: 'ok' }];
  if (is === undefined || does === 'through') return [...searchesOf(expected), ...answered(leader)];
  const failed = (who: string) => ({ who, outcome: is });
  if (often === 'once') {
    const second = does === 'again' ? leader : does === 'next' ? next : elsewhere;
    return [failed(leader), ...answered(second)];
  }
  const tries = (who: string) => (does === 'again' ? [failed(who), failed(who)] : [failed(who)]);
  const isAlone = does === 'elsewhere' || away === true || providerOf(next) !== providerOf(leader);
  return isAlone
    ? [...tries(leader), ...answered(elsewhere)]
    : [...tries(leader), ...tries(next), ...answered(elsewhere)];
}

/** They are over before the attempt that they are part of. */
export function searchesOf({ searches = 0 }: AskOutcome): readonly ExpectedAttempt[] {
  return Array.from({ length: searches }, () => ({ who: 'glm/glm-web-search', outcome: 'ok' }));
}

export function providerOf(who: string): string {
  return who.slice(0, who.indexOf('/'));
}
