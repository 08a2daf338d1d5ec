import type { Clock } from '#core/clock.ts';
import { remainingMs } from '#core/deadline.ts';
import { notice, type Notice } from '#core/messages/notices.ts';
import type { ToolContext } from '#core/tool.ts';
import { askRound } from './ask-round.ts';
import type { Outcome } from './content.ts';
import type { HeardBefore } from './heard-before.ts';
import { nobodyAnswered } from './nobody.ts';
import { lastAnswer, type Heard } from './reply.ts';
import { firstRequest, secondRequest, type Question, type Share } from './requests.ts';
import { shownInPart } from './shown-answer.ts';
import { costShare, isFair, roundTime } from './shares.ts';
import { spentOf } from './spent.ts';
import { tallyOf } from './tally.ts';
import type { Voice } from './voice.ts';

export interface ConsensusWish {
  readonly question: Question;
  readonly voices: readonly Voice[];
  readonly rounds: 1 | 2;
  readonly quorum: number;
  readonly perModelMs: number;
  /** For all of them together. */
  readonly maxCostMicroUsd: number | undefined;
}

export interface ConsensusRun {
  readonly outcome: Outcome;
  readonly notices: readonly Notice[];
}

type Context = Pick<ToolContext, 'ask' | 'progress' | 'signal' | 'deadline'>;

/** What a run needs beside what is wished. */
interface Means {
  readonly context: Context;
  readonly clock: Pick<Clock, 'monotonic'>;
  readonly before: HeardBefore;
}

/** All rounds. Throws when the call was cancelled, and when nobody answered. */
export async function runConsensus(wish: ConsensusWish, means: Means): Promise<ConsensusRun> {
  const first = await firstRound(wish, means);
  if (first.every((each) => !lastAnswer(each))) throw nobodyAnswered(first);
  const { heard, notices } =
    wish.rounds === 1 ? { heard: first, notices: [] } : await secondRound(wish, first, means);
  const answered = heard.filter(lastAnswer);
  const cut = answered.filter((each) => lastAnswer(each)?.answer.finish === 'length');
  return {
    outcome: {
      heard,
      tally: tallyOf(heard),
      quorum: { needed: wish.quorum, answered: answered.length },
      rounds: heard.some(({ second }) => second) ? 2 : 1,
    },
    notices: [
      ...notices,
      ...cut.map(({ voice }) => notice('panel_answer_cut', { model: voice.label })),
    ],
  };
}

async function firstRound(
  wish: ConsensusWish,
  { context, clock, before }: Means,
): Promise<readonly Heard[]> {
  const { question, voices, rounds, perModelMs } = wish;
  const left = remainingMs(context.deadline, clock);
  const share = shareOf(
    roundTime(perModelMs, left, rounds),
    wish.maxCostMicroUsd,
    voices.length * rounds,
  );
  const total = voices.length * rounds;
  context.progress({ note: `${voices.length} models are asked at once.`, done: 0, total });
  const asked = voices.map((voice) => ({ voice, request: firstRequest(question, voice, share) }));
  const replies = await askRound(
    asked,
    { round: 1, before: 0, total },
    { context, clock, before, perModelMs },
  );
  return voices.flatMap((voice, at) => {
    const reply = replies[at];
    return reply ? [{ voice, first: reply }] : [];
  });
}

/** Whoever answered is asked again; who did not has had its time. */
async function secondRound(
  wish: ConsensusWish,
  heard: readonly Heard[],
  { context, clock, before }: Means,
): Promise<{ readonly heard: readonly Heard[]; readonly notices: readonly Notice[] }> {
  const { question, voices, perModelMs, maxCostMicroUsd } = wish;
  const known = heard.flatMap(({ voice, first }) =>
    first.is === 'answered' ? [{ voice, opinion: first.opinion, said: first.answer.text }] : [],
  );
  if (known.length < 2) {
    return { heard, notices: [notice('second_round_skipped', { reason: 'one_answer' })] };
  }
  const timeMs = roundTime(perModelMs, remainingMs(context.deadline, clock), 1);
  if (!isFair(timeMs)) {
    return { heard, notices: [notice('second_round_skipped', { reason: 'no_time' })] };
  }
  const spent = sharesSpent(wish, heard);
  const rest = maxCostMicroUsd === undefined ? undefined : maxCostMicroUsd - spent;
  const share = shareOf(timeMs, rest, known.length);
  const asked = known.map(({ voice, said }) => {
    const others = known.filter((each) => each.voice !== voice);
    return { voice, request: secondRequest(question, voice, share, said, others) };
  });
  context.progress({ note: `${asked.length} models see the answers of the others.` });
  const place = { round: 2, before: voices.length, total: voices.length + asked.length } as const;
  const replies = await askRound(asked, place, { context, clock, before, perModelMs });
  const byVoice = new Map(asked.map(({ voice }, at) => [voice, replies[at]]));
  return {
    heard: heard.map((each) => {
      const second = byVoice.get(each.voice);
      return second ? { ...each, second } : each;
    }),
    notices: known.flatMap(shownInPart),
  };
}

function sharesSpent(
  { voices, rounds, maxCostMicroUsd = 0 }: ConsensusWish,
  heard: readonly Heard[],
): number {
  const share = costShare(maxCostMicroUsd, voices.length * rounds);
  return heard.reduce((sum, { first }) => sum + spentOf(first, share), 0);
}

function shareOf(timeoutMs: number, limitMicroUsd: number | undefined, questions: number): Share {
  return {
    timeoutMs,
    ...(limitMicroUsd !== undefined && { maxCostMicroUsd: costShare(limitMicroUsd, questions) }),
  };
}
