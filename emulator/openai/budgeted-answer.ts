import type { Answer, AnswerCall } from '../answer.ts';
import { countTokens, toPieces } from '../tokens.ts';

/** What is left of an answer within its budget, and what it cost. */
export interface BudgetedAnswer {
  readonly reasoning: string;
  readonly text: string;
  readonly calls: readonly AnswerCall[];
  /** `length` when the budget ended it; other words are the vendor's own. */
  readonly finish: string;
  readonly reasoningTokens: number;
  readonly outputTokens: number;
}

export interface Budget {
  readonly thinks: boolean;
  readonly maxTokens: number;
  readonly stop?: readonly string[];
  /** What the vendor calls an answer that ended for want of room. */
  readonly cutFinish?: string;
}

/** Thinking eats the budget first, as it does with every vendor. */
export function fitToBudget(answer: Answer, budget: Budget): BudgetedAnswer {
  const cutFinish = budget.cutFinish ?? 'length';
  const thoughts = cut(budget.thinks ? answer.reasoning : '', budget.maxTokens);
  const text = cut(stopAt(answer.text, budget.stop ?? []), thoughts.left);
  let { left } = text;
  let isCut = thoughts.isCut || text.isCut;
  const calls: AnswerCall[] = [];
  for (const call of answer.calls) {
    if (isCut) break;
    const room = left - countTokens(call.name);
    const args = cut(call.arguments, Math.max(0, room));
    left = args.left;
    isCut = args.isCut;
    calls.push({ name: call.name, arguments: args.text });
  }
  return {
    reasoning: thoughts.text,
    text: text.text,
    calls,
    finish: isCut ? cutFinish : calls.length > 0 ? 'tool_calls' : 'stop',
    reasoningTokens: budget.maxTokens - thoughts.left,
    outputTokens: budget.maxTokens - left,
  };
}

interface Cut {
  readonly text: string;
  readonly left: number;
  readonly isCut: boolean;
}

function cut(text: string, room: number): Cut {
  const tokens = countTokens(text);
  if (tokens <= room) return { text, left: room - tokens, isCut: false };
  return { text: toPieces(text).slice(0, room).join(''), left: 0, isCut: true };
}

function stopAt(text: string, stop: readonly string[]): string {
  const ends = stop.filter((word) => word !== '').map((word) => text.indexOf(word));
  const first = Math.min(...ends.filter((at) => at >= 0));
  return Number.isFinite(first) ? text.slice(0, first) : text;
}

/** `stop` as OpenAI has it: a text, or several. */
export function stopsOf(stop: unknown): readonly string[] {
  if (typeof stop === 'string') return [stop];
  return Array.isArray(stop) ? stop.filter((word) => typeof word === 'string') : [];
}

/** As a server without a reasoning parser says it. */
export function thinkAloud(said: BudgetedAnswer): BudgetedAnswer {
  if (said.reasoning === '') return said;
  return { ...said, reasoning: '', text: `<think>\n${said.reasoning}\n</think>\n\n${said.text}` };
}

/** The budget went into thoughts: nothing is left for the answer. */
export function onlyThoughts(said: BudgetedAnswer, reasoning: string): BudgetedAnswer {
  const tokens = countTokens(reasoning);
  return {
    reasoning,
    text: '',
    calls: [],
    finish: 'length',
    reasoningTokens: tokens,
    outputTokens: tokens,
  };
}

/** The answer ends in its middle, with a word of the vendor's for why. */
export function breakOff(
  said: BudgetedAnswer,
  finish: string,
  pieces: number | undefined,
): BudgetedAnswer {
  const all = toPieces(said.text);
  const kept = all.slice(0, pieces ?? Math.ceil(all.length / 2));
  return {
    ...said,
    text: kept.join(''),
    calls: [],
    finish,
    outputTokens: said.reasoningTokens + kept.length,
  };
}
