import { readQuestion } from '../answer.ts';
import { isObject, type Dictionary } from '../is-object.ts';
import type { Fault } from '../vendor.ts';
import { breakCalls } from '../openai/calls.ts';
import { answerUnder } from '../openai/ignored.ts';
import {
  onlyThoughts,
  fitToBudget,
  stopsOf,
  type BudgetedAnswer,
} from '../openai/budgeted-answer.ts';

export interface Composing {
  readonly body: Dictionary;
  readonly messages: readonly Dictionary[];
  readonly thinks: boolean;
  readonly maxTokens: number;
  readonly fault: Fault | undefined;
  /** Members of the request that this server does not know. */
  readonly ignores?: readonly string[];
}

/** The answer of a local model, as far as it gets. */
export function compose({
  body,
  messages,
  thinks,
  maxTokens,
  fault,
  ignores = [],
}: Composing): BudgetedAnswer {
  const known = Object.fromEntries(
    Object.entries(body).filter(([name]) => !ignores.includes(name)),
  );
  const answer = answerUnder(fault, readQuestion({ ...known, messages }));
  const said = fitToBudget(answer, {
    thinks,
    maxTokens,
    stop: stopsOf(body['stop']),
  });
  if (fault?.id === 'F13') return onlyThoughts(said, answer.reasoning);
  return breakCalls(said, fault);
}

/** The messages of a request, or nothing when it has none. */
export function messagesOf(body: Dictionary): readonly Dictionary[] | undefined {
  const messages: unknown = body['messages'];
  if (!Array.isArray(messages) || messages.length === 0) return undefined;
  const all: readonly unknown[] = messages;
  return all.every(isObject) ? all : undefined;
}

/** The first of these members that is a whole number above 0. */
export function limitOf(body: Dictionary, ...names: readonly string[]): number | undefined {
  for (const name of names) {
    const value = body[name];
    if (typeof value === 'number' && Number.isInteger(value) && value > 0) return value;
  }
  return undefined;
}
