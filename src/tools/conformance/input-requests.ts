import type { JsonObject } from '#core/json/json.ts';
import {
  acceptedForm,
  type InputResponses,
  type InputRequest,
  type InputRequests,
} from '#core/tools/input-request.ts';

/** An input request with a form of one required field. */
export function formRequest(
  message: string,
  field: string,
  type: 'string' | 'boolean',
): InputRequest {
  const schema = { type: 'object', properties: { [field]: { type } }, required: [field] };
  return { is: 'form', message, schema };
}

export function samplingRequest(text: string, maxTokens: number): InputRequest {
  const messages = [{ role: 'user', content: { type: 'text', text } }];
  return { is: 'sample', request: { messages, maxTokens } };
}

/** The answers to some input requests as text, and the requests still open. */
export interface AnswerState {
  readonly answered: Readonly<Record<string, string>>;
  readonly open: InputRequests;
  /** Name of the request that the user declined. */
  readonly declined: string | undefined;
}

export function readAnswers(questions: InputRequests, answers: InputResponses): AnswerState {
  const answered: Record<string, string> = {};
  const open: Record<string, InputRequest> = {};
  let declined: string | undefined;
  for (const [name, question] of Object.entries(questions)) {
    const answer = answerTo(answers, name);
    const words = answer && wordsOf(question, answer, answers, name);
    if (words !== undefined) answered[name] = words;
    else open[name] = question;
    if (answer?.['action'] === 'decline' || answer?.['action'] === 'cancel') declined ??= name;
  }
  return { answered, open, declined };
}

export function answerTo(answers: InputResponses, name: string): JsonObject | undefined {
  return Object.hasOwn(answers, name) ? answers[name] : undefined;
}

/** The answer as text; undefined if it does not fit the request, which is then sent again. */
function wordsOf(
  question: InputRequest,
  answer: JsonObject,
  answers: InputResponses,
  name: string,
): string | undefined {
  if (question.is === 'sample') return sampledText(answer) ?? JSON.stringify(answer);
  if (question.is === 'roots') return rootUris(answer);
  const [value] = Object.values(acceptedForm(answers, name) ?? {});
  return typeof value === 'string' || typeof value === 'boolean' ? String(value) : undefined;
}

/** The text of a sampling result. */
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
