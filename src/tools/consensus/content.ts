import * as z from 'zod';
import type { CallError } from '#core/call-error.ts';
import { ERROR_CLASSES } from '#core/error-class.ts';
import { oneLine } from '#core/one-line.ts';
import { sourceContent } from '../asking/sources.ts';
import { POSITIONS } from './opinion.ts';
import { hasChanged, lastAnswer, type Answered, type Heard } from './reply.ts';
import type { Camp, Tally } from './tally.ts';
import { STANCES } from './voice.ts';

export const COMPLETE = 'consensus_workflow_complete';
export const INCOMPLETE = 'consensus_incomplete';

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

/** A consensus as it came out. */
export interface Outcome {
  readonly heard: readonly Heard[];
  readonly tally: Tally;
  readonly quorum: { readonly needed: number; readonly answered: number };
  readonly rounds: number;
}

const NEXT =
  'Nobody was asked to sum this up: that is for you. Weigh the reasons rather than the votes, say where they disagree and what would settle it, then give your own recommendation.';
const NEXT_INCOMPLETE =
  'Too few answered to speak of a consensus, and nobody was asked to sum it up. Use what there is as single opinions, or call again with other models.';

export function statusOf({ quorum }: Pick<Outcome, 'quorum'>): ConsensusContent['status'] {
  return quorum.answered >= quorum.needed ? COMPLETE : INCOMPLETE;
}

export function contentOf(outcome: Outcome): ConsensusContent {
  const { heard, tally, quorum, rounds } = outcome;
  const status = statusOf(outcome);
  const isMet = status === COMPLETE;
  return {
    status,
    responses: heard.map((each) => responseOf(each, rounds)),
    agreements: tally.agreements.map(campOf),
    disagreements: tally.disagreements.map(campOf),
    quorum: { needed: quorum.needed, met: isMet, answered: quorum.answered },
    rounds,
    // Older clients come back for as long as it is true.
    next_step_required: false,
    next_steps: isMet ? NEXT : NEXT_INCOMPLETE,
  };
}

function campOf({ position: held, models }: Camp) {
  return { position: held, models: [...models] };
}

/** Whose answer the others have seen. */
export function isShown({ first }: Heard, rounds: number): boolean {
  return rounds > 1 && first.is === 'answered';
}

function responseOf(heard: Heard, rounds: number): ConsensusContent['responses'][number] {
  const { voice, first, second } = heard;
  const answered = lastAnswer(heard);
  const failed = [second, first].find((reply) => reply?.is === 'failed');
  return {
    model: voice.model,
    ...(isShown(heard, rounds) && { letter: voice.letter }),
    stance: voice.stance,
    status: answered ? 'success' : missingStatus(failed?.error),
    ...(answered && answerContent(answered)),
    elapsed_ms: first.elapsedMs + (second?.elapsedMs ?? 0),
    ...changeContent(heard),
    ...(failed && errorContent(failed.error)),
  };
}

function missingStatus(error: CallError | undefined): 'timeout' | 'error' {
  return error?.class === 'timeout' ? 'timeout' : 'error';
}

function answerContent({ answer, opinion }: Answered) {
  const { verdict, position: held, confidence, reasons, risks } = opinion;
  return {
    provider: answer.provider,
    verdict,
    position: held,
    ...(confidence !== undefined && { confidence }),
    reasons: [...reasons],
    risks: [...risks],
    ...(answer.citations.length > 0 && { citations: answer.citations.map(sourceContent) }),
  };
}

function changeContent(heard: Heard) {
  const { first, second } = heard;
  const changed = hasChanged(heard);
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
