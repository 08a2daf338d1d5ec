import type { Answer } from './answer.ts';
import { toPieces } from './tokens.ts';

/** An answer in tokens, as much of it as the budget allows. */
export interface FittedAnswer {
  readonly reasoning: readonly string[];
  readonly text: readonly string[];
  readonly calls: readonly { readonly name: string; readonly pieces: readonly string[] }[];
  readonly finish: 'stop' | 'length' | 'tool_calls';
  readonly reasoningTokens: number;
  readonly completionTokens: number;
}

/**
 * Reasoning eats the budget first; what ends it is cut where it stands. Every answer costs at least
 * one token.
 */
export function fitBudget(answer: Answer, thinking: 'on' | 'off', budget: number): FittedAnswer {
  let left = budget;
  let isCut = false;
  const take = (text: string): readonly string[] => {
    const pieces = toPieces(text);
    const taken = pieces.length > left ? pieces.slice(0, left) : pieces;
    if (taken.length < pieces.length) isCut = true;
    left -= taken.length;
    return taken;
  };
  const reasoning = thinking === 'on' ? take(answer.reasoning) : [];
  const text = take(answer.text);
  const calls: { name: string; pieces: readonly string[] }[] = [];
  for (const call of answer.calls) {
    if (left <= 0) {
      isCut = true;
      break;
    }
    calls.push({ name: call.name, pieces: take(call.arguments) });
  }
  return {
    reasoning,
    text,
    calls,
    finish: isCut ? 'length' : calls.length > 0 ? 'tool_calls' : 'stop',
    reasoningTokens: reasoning.length,
    completionTokens: Math.max(1, budget - left),
  };
}

/** The answer up to the first of the texts at which the client wants it to stop. */
export function cutAtStop(answer: Answer, stops: readonly string[]): Answer {
  let end = answer.text.length;
  for (const stop of stops) {
    const at = stop === '' ? -1 : answer.text.indexOf(stop);
    if (at !== -1 && at < end) end = at;
  }
  return end === answer.text.length ? answer : { ...answer, text: answer.text.slice(0, end) };
}
