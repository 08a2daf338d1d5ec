import { CallError } from '#core/call-error.ts';
import type { Questions } from '#core/question.ts';
import type { Outcome } from './answer.ts';
import type { Ride } from './ride.ts';
import { ownerOf } from './prepare.ts';
import type { StateSeal } from './request-state.ts';

/** What a call wants to know, with all it needs to be made again; or why its client cannot be asked. */
export function toQuestions(
  { request, draft, reqId }: Ride,
  questions: Questions,
  seal: StateSeal,
): Outcome {
  const { askable = [] } = request;
  const kinds = new Set(Object.values(questions).map(({ is }) => is));
  const lacks = [...kinds].filter((kind) => !askable.includes(kind));
  if (lacks.length > 0) {
    const what = lacks.map((kind) => IN_WORDS[kind]).join(' and ');
    const message = `${draft.toolName} needs ${what}, which this client does not offer.`;
    const fix = 'Use a client that can be asked.';
    return { is: 'failure', error: new CallError('bad_request', message, { lacks, fix }) };
  }
  const asked = Object.keys(questions);
  const state = seal.close(ownerOf(draft, request), { answers: draft.answers, asked, reqId });
  return { is: 'asks', questions, state };
}

const IN_WORDS = {
  form: 'an answer of its user',
  visit: 'its user to visit a page',
  sample: "the client's own model",
  roots: 'the folders the client works in',
} as const;
