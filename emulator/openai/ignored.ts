import { computeAnswer, type Answer, type Question } from '../answer.ts';
import type { Fault } from '../vendor.ts';

/**
 * What a model does with a response format: keep to it, fence it, miss it, or know nothing of it.
 */
export type FormatWay = 'obeyed' | 'fenced' | 'invalid' | 'prose';

export const FORMAT_FAULTS: Readonly<Record<string, FormatWay>> = {
  F12: 'fenced',
  'F12.fenced': 'fenced',
  'F12.invalid': 'invalid',
  'F12.prose': 'prose',
};

/** What the fault says about the format; nothing when it says nothing. */
export function faultyWay(fault: Fault | undefined): FormatWay | undefined {
  return fault !== undefined && Object.hasOwn(FORMAT_FAULTS, fault.id)
    ? FORMAT_FAULTS[fault.id]
    : undefined;
}

/** The answer of a model that keeps to what it is asked for, unless the fault says otherwise. */
export function answerUnder(fault: Fault | undefined, asked: Question): Answer {
  const question = fault?.id === 'F21' ? withoutConstraints(asked) : asked;
  return answerInWay(question, faultyWay(fault) ?? 'obeyed');
}

/** The answer of a model that takes a schema so seriously. */
export function answerInWay(question: Question, way: FormatWay): Answer {
  if (way === 'obeyed' || question.format === 'text') return computeAnswer(question);
  if (way === 'prose') return computeAnswer({ ...question, format: 'text' });
  const answer = computeAnswer(way === 'invalid' ? missing(question) : question);
  if (answer.calls.length > 0) return answer;
  return { ...answer, text: `\`\`\`json\n${answer.text}\n\`\`\`` };
}

/** Some JSON, without an eye on any schema. */
const missing = (question: Question): Question => ({
  ...question,
  format: 'json',
  messages: question.messages.filter(({ role }) => role !== 'system'),
});

/**
 * A field that was accepted and ignored: as if neither a format nor a choice of tool had been sent.
 */
export const withoutConstraints = (question: Question): Question => ({
  ...question,
  format: 'text',
  toolChoice: 'auto',
});
