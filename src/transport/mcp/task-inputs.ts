import type { JobQuestions } from '#core/jobs.ts';
import type { JsonObject } from '#core/json.ts';
import type { Answers } from '#core/question.ts';
import { toRequest } from '#mcp/input-request.ts';
import { isObject, type Members } from '#mcp/json-rpc.ts';

const NUMBERED = /-\d+$/;

/**
 * The name that a question has for a task's client, which no other of the task ever has: in later rounds the same name stands
 * for something else. Only names that could be taken for a numbered one are numbered in the first round, too.
 */
export function inputKey(name: string, round: number): string {
  return round === 1 && !NUMBERED.test(name) ? name : `${name}-${round}`;
}

/** What a task wants to know, as its client is told. */
export function inputRequests({ round, questions }: JobQuestions): Members {
  return Object.fromEntries(
    Object.entries(questions).map(([name, question]) => [
      inputKey(name, round),
      toRequest(question),
    ]),
  );
}

/** The answers among what a client sent, by the names of the questions; or the key of one that is none. */
export function inputAnswers(
  { round, questions }: JobQuestions,
  responses: Members,
): { readonly answers: Answers } | { readonly wrongKey: string } {
  const answers: [string, JsonObject][] = [];
  for (const name of Object.keys(questions)) {
    const key = inputKey(name, round);
    if (!Object.hasOwn(responses, key)) continue;
    const response = responses[key];
    if (!isObject(response)) return { wrongKey: key };
    answers.push([name, response as JsonObject]);
  }
  return { answers: Object.fromEntries(answers) };
}
