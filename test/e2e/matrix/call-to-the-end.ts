import type { Answer, Asked, Peer, RequestOptions } from './peer.ts';
import { at, type Members, type Message } from './rpc.ts';

/** A call with all that was asked before its answer, round by round. */
export interface Finished extends Answer {
  /** Of the modern era: what was asked each time, by name. */
  readonly rounds: readonly Readonly<Record<string, Asked>>[];
}

const MAX_ROUNDS = 8;

/**
 * Calls, and answers whatever that takes. A legacy server asks while the call runs; a modern one
 * gives its questions as the result, and wants the call made again with the answers.
 */
export async function callToTheEnd(
  peer: Peer,
  method: string,
  params: Members,
  options?: RequestOptions,
): Promise<Finished> {
  const rounds: Record<string, Asked>[] = [];
  const told: Message[] = [];
  const asked: Asked[] = [];
  let next = params;
  for (;;) {
    const answer = await peer.request(method, next, options);
    told.push(...answer.told);
    asked.push(...answer.asked);
    if (at(answer, 'result.resultType') !== 'input_required' || rounds.length >= MAX_ROUNDS) {
      return { ...answer, told, asked, rounds };
    }
    const questions = questionsOf(answer);
    rounds.push(questions);
    asked.push(...Object.values(questions));
    next = { ...params, ...(await reply(peer, answer)) };
  }
}

export function questionsOf(answer: Answer): Record<string, Asked> {
  const given = (answer.result?.['inputRequests'] ?? {}) as Record<string, Partial<Asked>>;
  return Object.fromEntries(
    Object.entries(given).map(([name, { method = '', params = {} }]) => [name, { method, params }]),
  );
}

/** What is sent beside the same arguments the next time. */
export async function reply(peer: Peer, answer: Answer): Promise<Members> {
  const responses: Record<string, Members> = {};
  for (const [name, question] of Object.entries(questionsOf(answer))) {
    responses[name] = await peer.answerTo(question);
  }
  const state = answer.result?.['requestState'];
  return { inputResponses: responses, ...(state !== undefined && { requestState: state }) };
}
