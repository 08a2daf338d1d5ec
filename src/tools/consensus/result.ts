import * as z from 'zod';
import { CallError, type ErrorFacts } from '#core/errors/call-error.ts';
import { ERROR_CLASSES, type ErrorClass } from '#core/errors/error-class.ts';
import type { AskAnswer, AskReport } from '#core/llm/ask.ts';
import { advice, fix, type Fix } from '#core/messages/fixes.ts';
import { oneLine } from '#core/text/text.ts';
import { citationContent } from '../shared/citations.ts';
import { POSITIONS, type Opinion, type OpinionPosition } from './opinion.ts';
import { STANCES, type Panelist } from './panel.ts';

/** The outcome of one question to one panelist. */
export type PanelistReply =
  | (ReplyTiming & {
      readonly is: 'answered';
      readonly answer: AskAnswer;
      readonly opinion: Opinion;
    })
  | (ReplyTiming & { readonly is: 'failed'; readonly error: CallError });

interface ReplyTiming {
  readonly elapsedMs: number;
  /** Absent if the request was never started. */
  readonly report?: AskReport;
}

export type PanelistAnswer = Extract<PanelistReply, { is: 'answered' }>;

/** A panelist with its replies. */
export interface PanelistResult {
  readonly panelist: Panelist;
  readonly first: PanelistReply;
  /** Absent if it had no second round. */
  readonly second?: PanelistReply;
}

/** The answer that counts: the last one there is. */
export function lastAnswer({ first, second }: PanelistResult): PanelistAnswer | undefined {
  return [second, first].find((reply): reply is PanelistAnswer => reply?.is === 'answered');
}

/** Smallest difference in confidence that counts as a changed opinion. */
const CONFIDENCE_STEP = 0.1;

/** Whether the second round changed the opinion; undefined without two answers. */
export function hasChanged({ first, second }: PanelistResult): boolean | undefined {
  if (first.is !== 'answered' || second?.is !== 'answered') return undefined;
  const [a, b] = [first.opinion, second.opinion];
  // Confidences have two decimals, so the difference is rounded to two as well.
  const moved = Math.round(Math.abs((a.confidence ?? 0) - (b.confidence ?? 0)) * 100) / 100;
  const isKnown = a.confidence !== undefined && b.confidence !== undefined;
  return a.position !== b.position || (isKnown && moved >= CONFIDENCE_STEP);
}

/** The panelists with the same position. */
export interface PositionGroup {
  readonly position: OpinionPosition;
  readonly models: readonly string[];
}

export interface PositionTally {
  /** Positions of two or more panelists, the largest group first. */
  readonly agreements: readonly PositionGroup[];
  /** All groups if there are several; empty without a contradiction. */
  readonly disagreements: readonly PositionGroup[];
}

const SIDES: readonly OpinionPosition[] = ['agree', 'disagree', 'mixed'];

/** Groups panelists by position. One without a side neither agrees nor disagrees. */
export function tallyPositions(results: readonly PanelistResult[]): PositionTally {
  const camps = SIDES.map((position) => ({
    position,
    models: results.flatMap((each) =>
      lastAnswer(each)?.opinion.position === position ? each.panelist.label : [],
    ),
  }))
    .filter(({ models }) => models.length > 0)
    .toSorted((a, b) => b.models.length - a.models.length);
  return {
    agreements: camps.filter(({ models }) => models.length > 1),
    disagreements: camps.length > 1 ? camps : [],
  };
}

/** The required number of answers; more than half by default. */
export function quorumOf(panelists: number, wanted: number | undefined): number {
  return wanted ?? Math.floor(panelists / 2) + 1;
}

const COMPLETE = 'consensus_workflow_complete';
const INCOMPLETE = 'consensus_incomplete';

const MAX_ERROR_CHARS = 1_000;

const position = z.enum(POSITIONS);
const camp = z.strictObject({ position, models: z.array(z.string()) });

const Response = z.strictObject({
  model: z.string(),
  letter: z.string().optional().describe('How the others speak of it after a second round.'),
  provider: z.string().optional(),
  stance: z.enum(STANCES),
  status: z.enum(['success', 'timeout', 'error']),
  verdict: z.string().optional(),
  position: position.optional(),
  confidence: z.number().min(0).max(1).optional(),
  reasons: z.array(z.string()).optional(),
  risks: z.array(z.string()).optional(),
  citations: z.array(z.looseObject({ title: z.string(), url: z.string() })).optional(),
  elapsed_ms: z.number().nonnegative(),
  changed: z.boolean().optional().describe('Whether the second round changed its mind.'),
  change: z.string().optional().describe('Why, in its own words.'),
  before: z.strictObject({ position, confidence: z.number().optional() }).optional(),
  error_class: z.enum(ERROR_CLASSES).optional(),
  error: z.string().optional().describe('Why it, or its second answer, is missing.'),
});

export const ConsensusShape = z.strictObject({
  status: z.enum([COMPLETE, INCOMPLETE]),
  responses: z.array(Response),
  agreements: z.array(camp),
  disagreements: z.array(camp),
  quorum: z.strictObject({ needed: z.int(), met: z.boolean(), answered: z.int() }),
  rounds: z.int().describe('How many there were.'),
  next_step_required: z.literal(false),
  next_steps: z.string(),
});
export type ConsensusContent = z.infer<typeof ConsensusShape>;

/** The result of a consensus before it is rendered. */
export interface ConsensusOutcome {
  readonly results: readonly PanelistResult[];
  readonly tally: PositionTally;
  readonly quorum: { readonly needed: number; readonly answered: number };
  readonly rounds: number;
}

const NEXT =
  'No model has summarised this; you do. Weigh the reasons rather than the votes, say where they disagree and what would settle it, then give your own recommendation.';
const NEXT_INCOMPLETE =
  'Not enough models answered for a consensus. Treat the answers as single opinions, or call again with other models.';

export function consensusStatus({
  quorum,
}: Pick<ConsensusOutcome, 'quorum'>): ConsensusContent['status'] {
  return quorum.answered >= quorum.needed ? COMPLETE : INCOMPLETE;
}

export function consensusContent(outcome: ConsensusOutcome): ConsensusContent {
  const { results, tally, quorum, rounds } = outcome;
  const status = consensusStatus(outcome);
  const isMet = status === COMPLETE;
  return {
    status,
    responses: results.map((each) => responseOf(each, rounds)),
    agreements: tally.agreements.map(campOf),
    disagreements: tally.disagreements.map(campOf),
    quorum: { needed: quorum.needed, met: isMet, answered: quorum.answered },
    rounds,
    // Older clients call again while it is true.
    next_step_required: false,
    next_steps: isMet ? NEXT : NEXT_INCOMPLETE,
  };
}

function campOf({ position: held, models }: PositionGroup) {
  return { position: held, models: [...models] };
}

/** Whether the other panelists saw this one's first answer. */
export function isShownToOthers({ first }: PanelistResult, rounds: number): boolean {
  return rounds > 1 && first.is === 'answered';
}

function responseOf(result: PanelistResult, rounds: number): ConsensusContent['responses'][number] {
  const { panelist, first, second } = result;
  const answered = lastAnswer(result);
  const failed = [second, first].find((reply) => reply?.is === 'failed');
  return {
    model: panelist.model,
    ...(isShownToOthers(result, rounds) && { letter: panelist.letter }),
    stance: panelist.stance,
    status: answered ? 'success' : missingStatus(failed?.error),
    ...(answered && answerContent(answered)),
    elapsed_ms: first.elapsedMs + (second?.elapsedMs ?? 0),
    ...changeContent(result),
    ...(failed && errorContent(failed.error)),
  };
}

function missingStatus(error: CallError | undefined): 'timeout' | 'error' {
  return error?.class === 'timeout' ? 'timeout' : 'error';
}

function answerContent({ answer, opinion }: PanelistAnswer) {
  const { verdict, position: held, confidence, reasons, risks } = opinion;
  return {
    provider: answer.provider,
    verdict,
    position: held,
    ...(confidence !== undefined && { confidence }),
    reasons: [...reasons],
    risks: [...risks],
    ...(answer.citations.length > 0 && { citations: answer.citations.map(citationContent) }),
  };
}

function changeContent(result: PanelistResult) {
  const { first, second } = result;
  const changed = hasChanged(result);
  if (changed === undefined || first.is !== 'answered' || second?.is !== 'answered') return {};
  const { position: held, confidence } = first.opinion;
  const { change } = second.opinion;
  return {
    changed,
    ...(change !== undefined && { change }),
    ...(changed && {
      before: { position: held, ...(confidence !== undefined && { confidence }) },
    }),
  };
}

function errorContent({ class: errorClass, message }: CallError) {
  return { error_class: errorClass, error: oneLine(message, MAX_ERROR_CHARS) };
}

const MAX_WHY_CHARS = 400;
const DOCTOR = [fix('run_doctor'), fix('test_key')];
/** Fixes by error class; the panelists' own fixes name arguments that this tool does not have. */
const FIXES: Partial<Readonly<Record<ErrorClass, readonly Fix[]>>> = {
  timeout: [
    fix('raise_argument', { argument: 'per_model_seconds' }),
    advice('Or ask quicker models.'),
  ],
  budget: [
    fix('raise_argument', { argument: 'max_cost_usd' }),
    fix('omit_argument', { argument: 'max_cost_usd' }),
    advice('Or ask cheaper models.'),
  ],
  not_found: [
    fix('list_models'),
    fix('omit_argument', { argument: 'models' }),
    advice('Then three are chosen.'),
  ],
  context_length: [advice('Give fewer or shorter files, or ask models with larger windows.')],
};

/** The keys that the panelists lack. */
function missingKeyFixes(errors: readonly CallError[]): readonly Fix[] {
  const all = errors.flatMap(({ fixes }) => fixes.filter(({ kind }) => kind === 'add_key'));
  const distinct = new Map(all.map((each) => [JSON.stringify(each.params), each]));
  return [...distinct.values(), fix('run_doctor')];
}

/**
 * The error of a consensus without any answer. It has the class that all failures share, and names
 * each failure.
 */
export function noAnswersError(results: readonly PanelistResult[]): CallError {
  const failed = results.flatMap(({ panelist, first }) =>
    first.is === 'failed' ? [{ label: panelist.label, error: first.error }] : [],
  );
  const errors = failed.map(({ error }) => error);
  const who = failed
    .map(({ label, error }) => `${label}: ${error.class}, ${oneLine(error.message, MAX_WHY_CHARS)}`)
    .join(' ');
  const errorClass: ErrorClass =
    same(errors.map((each) => each.class)) ?? 'exhausted_fallback_chain';
  const field = same(errors.map((each) => each.field));
  const waits = errors.flatMap(({ retryAfterMs }) => retryAfterMs ?? []);
  const facts: ErrorFacts = {
    fixes:
      errorClass === 'not_configured' ? missingKeyFixes(errors) : (FIXES[errorClass] ?? DOCTOR),
    // The argument is a list here.
    ...(field !== undefined && { field: field === 'model' ? 'models' : field }),
    ...(waits.length > 0 && { retryAfterMs: Math.min(...waits) }),
    cause: errors[0],
  };
  return new CallError(errorClass, `None of the ${failed.length} models answered. ${who}`, facts);
}

/** The common value; undefined if the values differ. */
function same<T>([first, ...rest]: readonly T[]): T | undefined {
  return rest.every((each) => each === first) ? first : undefined;
}
