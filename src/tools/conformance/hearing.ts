import type { JsonObject } from '#core/json.ts';
import { formAnswer, type Answers, type Question, type Questions } from '#core/question.ts';

/** A form of one field, which has to be filled in. */
export function form(message: string, field: string, type: 'string' | 'boolean'): Question {
  const schema = { type: 'object', properties: { [field]: { type } }, required: [field] };
  return { is: 'form', message, schema };
}

export function sample(text: string, maxTokens: number): Question {
  const messages = [{ role: 'user', content: { type: 'text', text } }];
  return { is: 'sample', request: { messages, maxTokens } };
}

/** What has been heard of some questions, in words; and what is still to be asked. */
export interface Hearing {
  readonly heard: Readonly<Record<string, string>>;
  readonly open: Questions;
  /** The one that its user would not answer. */
  readonly declined: string | undefined;
}

export function hear(questions: Questions, answers: Answers): Hearing {
  const heard: Record<string, string> = {};
  const open: Record<string, Question> = {};
  let declined: string | undefined;
  for (const [name, question] of Object.entries(questions)) {
    const answer = answerTo(answers, name);
    const words = answer && wordsOf(question, answer, answers, name);
    if (words !== undefined) heard[name] = words;
    else open[name] = question;
    if (answer?.['action'] === 'decline' || answer?.['action'] === 'cancel') declined ??= name;
  }
  return { heard, open, declined };
}

export function answerTo(answers: Answers, name: string): JsonObject | undefined {
  return Object.hasOwn(answers, name) ? answers[name] : undefined;
}

/** Nothing when the answer is no answer to the question: then it is asked again. */
function wordsOf(
  question: Question,
  answer: JsonObject,
  answers: Answers,
  name: string,
): string | undefined {
  if (question.is === 'sample') return sampledText(answer) ?? JSON.stringify(answer);
  if (question.is === 'roots') return rootUris(answer);
  const [value] = Object.values(formAnswer(answers, name) ?? {});
  return typeof value === 'string' || typeof value === 'boolean' ? String(value) : undefined;
}

/** What a model said. */
export function sampledText({ content }: JsonObject): string | undefined {
  const parts = Array.isArray(content) ? content : [content];
  const texts = parts.map((part) => (part as { text?: unknown } | null)?.text);
  const said = texts.filter((text) => typeof text === 'string');
  return said.length > 0 ? said.join('\n') : undefined;
}

function rootUris({ roots }: JsonObject): string | undefined {
  if (!Array.isArray(roots)) return undefined;
  return roots.map((root) => String((root as { uri?: unknown } | null)?.uri)).join(', ');
}
