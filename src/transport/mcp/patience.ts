import type { HandOff } from '#core/calls.ts';
import type { ClientAbility } from '#core/question.ts';
import { KNOWN_CLIENTS } from './known-clients.ts';

/** How long callers wait for an answer itself before they get a job in its place. */
export interface PatienceTimes {
  readonly inlineWaitMs: number;
  /** Those that hear of its progress, and so know that it goes on. */
  readonly withProgressMs: number;
  /** Those that follow tasks by themselves. */
  readonly taskWaitMs: number;
}

export type PatienceWish = 'wait' | 'background' | undefined;

export interface HandOffDecision extends HandOff {
  /** Why then, as the end of a sentence. */
  readonly because: string;
}

export interface PatienceFacts {
  readonly wish: PatienceWish;
  /** By which it hears of progress. */
  readonly progressToken: string | number | undefined;
}

/** When a call becomes a job. The decisions are made once, and each call is given one of them. */
export interface Patience {
  decide(
    facts: PatienceFacts,
    abilities: readonly ClientAbility[],
    client: string | undefined,
  ): HandOffDecision;
}

/** A client that stops waiting at its limit must have the job's id before. */
const OF_ITS_LIMIT = 0.9;

export function createPatience(times: PatienceTimes): Patience {
  const { inlineWaitMs, withProgressMs, taskWaitMs } = times;
  const waits = decision(Number.POSITIVE_INFINITY, 'job', 'the client wants to wait for it');
  const background = decision(0, 'job', 'the client wants it done in the background');
  const backgroundTask = decision(0, 'task', background.because);
  const task = decision(taskWaitMs, 'task', 'the client follows tasks');
  const silent = decision(inlineWaitMs, 'job', 'the client hears of no progress');
  const hearing = decision(withProgressMs, 'job', 'the client hears of its progress');
  const known = new Map(
    KNOWN_CLIENTS.map(({ name, title, limitMs }) => {
      const because = `${title} keeps to its limit, whatever it hears of progress`;
      const afterMs =
        limitMs === 'short'
          ? Math.min(inlineWaitMs, withProgressMs)
          : Math.min(withProgressMs, limitMs * OF_ITS_LIMIT);
      return [name, decision(afterMs, 'job', because)];
    }),
  );
  return {
    decide({ wish, progressToken }, abilities, client) {
      const isFollowing = abilities.includes('tasks');
      if (wish === 'background') return isFollowing ? backgroundTask : background;
      if (wish === 'wait') return waits;
      if (isFollowing) return task;
      if (progressToken === undefined) return silent;
      return (client === undefined ? undefined : known.get(client)) ?? hearing;
    },
  };
}

function decision(afterMs: number, as: HandOff['as'], because: string): HandOffDecision {
  return Object.freeze({ afterMs, as, because });
}
