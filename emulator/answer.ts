import { describeMedia } from './answer/media.ts';
import { namedTool, pickTool } from './answer/pick-tool.ts';
import { fromSchema, readClues } from './answer/from-schema.ts';
import type { Question, QuestionMessage, QuestionTool } from './answer/question.ts';
import { retrieve } from './answer/retrieve.ts';
import { isAnyObject, schemaInPrompt } from './answer/schema-in-prompt.ts';
import { readScripts, sayWords, type Scripts } from './answer/scripts.ts';
import { asksForCitations, cite, type Passage } from './answer/cite.ts';
import { contentWords, languageOf } from './answer/content-words.ts';

export {
  readQuestion,
  type FindFile,
  type Question,
  type QuestionTool,
} from './answer/question.ts';

/** What the emulated model says: text, or tools to call. */
export interface Answer {
  readonly text: string;
  /** What it would think before; the vendor decides whether it is shown. */
  readonly reasoning: string;
  readonly calls: readonly AnswerCall[];
}

export interface AnswerCall {
  readonly name: string;
  readonly arguments: string;
}

const NOBODY: QuestionMessage = {
  role: 'user',
  text: '',
  media: [],
  name: undefined,
  calls: [],
  callId: undefined,
};

/** Computed from the request and nothing else: the same question has the same answer. */
export function computeAnswer(question: Question): Answer {
  return goOn(question) ?? answerAnew(question);
}

const GO_ON = /\b(?:go on|continue|carry on)\b/i;

/** Asked to continue an answer that was cut, it sends the rest of that answer. */
function goOn(question: Question): Answer | undefined {
  const [begun, asked] = question.messages.slice(-2);
  if (asked?.role !== 'user' || !GO_ON.test(asked.text)) return undefined;
  if (begun?.role !== 'assistant' || begun.text === '' || begun.calls.length > 0) return undefined;
  const whole = answerAnew({ ...question, messages: question.messages.slice(0, -2) });
  if (!whole.text.startsWith(begun.text) || whole.text.length === begun.text.length)
    return undefined;
  return { ...whole, text: whole.text.slice(begun.text.length) };
}

function answerAnew(question: Question): Answer {
  const { messages } = question;
  const at = messages.findLastIndex((message) => message.role === 'user');
  const asked = messages[at] ?? NOBODY;
  const since = messages.slice(at + 1);
  const scripts = readScripts(asked.text);
  const reasoning =
    scripts.thinkWords === undefined ? think(question, asked) : sayWords(scripts.thinkWords);
  const calls = callsFor(question, asked, since, scripts);
  if (calls.length > 0) return { text: '', reasoning, calls };
  return { text: textFor(question, asked, since, scripts), reasoning, calls };
}

function callsFor(
  question: Question,
  asked: QuestionMessage,
  since: readonly QuestionMessage[],
  scripts: Scripts,
): readonly AnswerCall[] {
  const { toolChoice, tools } = question;
  if (toolChoice === 'none') return [];
  const rounds = since.filter((message) => message.calls.length > 0).length;
  if (scripts.calls.length > 0 || scripts.later.length > 0) {
    const next = rounds === 0 && scripts.calls.length > 0 ? scripts.calls : undefined;
    const later = scripts.later[scripts.calls.length > 0 ? rounds - 1 : rounds];
    return next ?? (later === undefined ? [] : [later]);
  }
  if (tools.length === 0 || rounds > 0) return [];
  const tool = choose(question, asked);
  if (tool === undefined) return [];
  const args = fromSchema({ type: 'object', ...tool.parameters }, readClues(asked.text), 'needed');
  return [{ name: tool.name, arguments: JSON.stringify(args) }];
}

function choose({ tools, toolChoice }: Question, asked: QuestionMessage): QuestionTool | undefined {
  if (typeof toolChoice === 'object') return tools.find((tool) => tool.name === toolChoice.name);
  if (toolChoice === 'required') return pickTool(tools, asked.text) ?? tools[0];
  if (isOrder(asked.text)) return undefined;
  // A sum needs no tool, unless one is named outright; the words around it, which a client put
  // there, may fit any.
  return SUM.test(asked.text) ? namedTool(tools, asked.text) : pickTool(tools, asked.text);
}

const ECHO = /say exactly:\s*(?:"""([\s\S]*?)"""|([^\n]*))/i;
const SUM = /what is (-?\d{1,15}(?:\.\d{1,6})?)\s*([-+*x×/÷])\s*(-?\d{1,15}(?:\.\d{1,6})?)/i;

/** Words that decide the answer whatever else is in the request. */
export const isOrder = (text: string): boolean =>
  ECHO.test(text) || /\[\[tokens \d+\]\]/.test(text);

function textFor(
  question: Question,
  asked: QuestionMessage,
  since: readonly QuestionMessage[],
  scripts: Scripts,
): string {
  const results = since.filter((message) => message.role === 'tool');
  const echo = ECHO.exec(asked.text);
  if (echo !== null) return (echo[1] ?? echo[2] ?? '').replace(/\[\[think \d+\]\]/g, '').trim();
  if (scripts.words !== undefined) return sayWords(scripts.words);
  const { format } = question;
  const plain =
    results.length > 0
      ? quoteResults(results, since)
      : (reckon(asked.text) ?? speak(question, asked));
  if (format === 'text') return plain;
  const schema = format === 'json' ? schemaInPrompt(question.messages) : format.schema;
  // Any object will do, so it is one with the answer in it.
  if (schema === undefined || isAnyObject(schema)) return JSON.stringify({ answer: plain });
  return JSON.stringify(fromSchema(schema, readClues(asked.text), 'all'));
}

function speak({ messages }: Question, asked: QuestionMessage): string {
  const passages = retrieve(messages, asked);
  const isCited = asksForCitations(messages);
  const said = [...see(asked, isCited), ...quote(passages, asked, isCited)];
  if (said.length > 0) return said.join('\n');
  const words = asked.text.split(/\s+/).filter((word) => word !== '');
  const start = words.slice(0, 6).join(' ').slice(0, 200);
  return (
    `You wrote ${words.length} ${words.length === 1 ? 'word' : 'words'} (${asked.text.length} characters) in ${languageOf(asked.text)}, beginning "${start}". ` +
    `It is about ${[...new Set(contentWords(asked.text.slice(0, 2_000)))].slice(0, 4).join(', ') || 'nothing in particular'}.`
  );
}

/** What it sees, by name where citations are asked for. */
function see({ media }: QuestionMessage, isCited: boolean): string[] {
  if (media.length === 0) return [];
  const names = isCited
    ? media.flatMap(({ name }) => (name === undefined ? [] : ` [${name}]`))
    : [];
  return [`I was given ${describeMedia(media)}${names.join('')}.`];
}

/** What it read: where citations are asked for, what each file says, else the best of all. */
function quote(
  passages: readonly Passage[],
  { media }: QuestionMessage,
  isCited: boolean,
): readonly string[] {
  const cited = isCited ? passages.flatMap((passage) => cite(passage) ?? []) : [];
  if (cited.length > 0) return cited;
  // Beside pictures, only files answer, not what the messages say around them.
  const best = passages.find(({ isFile }) => isFile || media.length === 0);
  return best === undefined ? [] : [`According to ${best.where}: "${best.sentence}"`];
}

function reckon(text: string): string | undefined {
  const match = SUM.exec(text);
  if (match === null) return undefined;
  const [, left = '', sign = '', right = ''] = match;
  const a = Number(left);
  const b = Number(right);
  const results: Readonly<Record<string, number>> = {
    '+': a + b,
    '-': a - b,
    '*': a * b,
    x: a * b,
    '×': a * b,
    '/': a / b,
    '÷': a / b,
  };
  return `${left} ${sign} ${right} is ${results[sign.toLowerCase()]}.`;
}

const MAX_QUOTE = 2_000;

function quoteResults(
  results: readonly QuestionMessage[],
  since: readonly QuestionMessage[],
): string {
  const names = new Map(
    since.flatMap((message) => message.calls.map((call) => [call.id, call.name] as const)),
  );
  return results
    .map(({ callId, name, text }) => {
      const who = name ?? names.get(callId ?? '') ?? 'the tool';
      return `${who} answered: ${text.slice(0, MAX_QUOTE)}`;
    })
    .join('\n');
}

function think({ tools, format }: Question, asked: QuestionMessage): string {
  const start = asked.text.split(/\s+/).slice(0, 8).join(' ').slice(0, 200);
  const means =
    tools.length > 0 ? ` I have ${tools.length} ${tools.length === 1 ? 'tool' : 'tools'}.` : '';
  const shape = format === 'text' ? '' : ' It wants JSON.';
  return `The user wrote "${start}".${means}${shape} I will answer from what I was given.`;
}
