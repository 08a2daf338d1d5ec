import type { ChatMessage, ChatPart } from '#core/llm/chat.ts';
import { CallError } from '#core/errors/call-error.ts';
import { fix } from '#core/messages/fixes.ts';
import { oneLine } from '#core/text/text.ts';
import { isTextMediaType } from '#core/text/text-media-type.ts';

/** A text to search, with a label for the answer. */
export interface Source {
  readonly label: string;
  readonly kind: 'file' | 'message';
  readonly text: string;
  /** The text with the numbers of its lines, where it came with them. */
  readonly numbered?: string;
}

export interface Material {
  /** The question, as far as it can be separated from the material. */
  readonly question: string;
  /** Files first, then messages, newest first. */
  readonly sources: readonly Source[];
}

/** A longer message is material. */
const MAX_QUESTION_CHARS = 1_500;
const QUESTION_HEAD_CHARS = 300;
const QUESTION_TAIL_CHARS = 700;
const MAX_NAME_CHARS = 120;

/**
 * Splits a conversation into question and sources. System messages are not a source, but files
 * inside them are.
 */
export function splitMaterial(messages: readonly ChatMessage[]): Material {
  const files: Source[] = [];
  const earlierMessages: Source[] = [];
  const lastUser = messages.findLastIndex(({ role }) => role === 'user');
  let question = '';
  for (const [index, message] of messages.entries()) {
    const place = `message ${index + 1}`;
    const where = message.role === 'system' ? 'at line starts' : 'anywhere';
    const { rest, inside } = takeFilesOut(textOf(message, place, files), place, where);
    for (const source of inside) files.push(source);
    if (message.role === 'system' || rest.trim() === '') continue;
    if (index === lastUser) {
      question = questionIn(rest);
      if (rest.length <= MAX_QUESTION_CHARS) continue;
    }
    earlierMessages.push({ label: `${place} (${speaker(message)})`, kind: 'message', text: rest });
  }
  return { question, sources: [...files, ...earlierMessages.toReversed()] };
}

function questionIn(text: string): string {
  if (text.length <= MAX_QUESTION_CHARS) return text;
  return `${text.slice(0, QUESTION_HEAD_CHARS)}\n${text.slice(-QUESTION_TAIL_CHARS)}`;
}

function speaker(message: ChatMessage): string {
  switch (message.role) {
    case 'user':
      return 'yours';
    case 'assistant':
      return 'an earlier answer';
    case 'tool':
      return `result of ${oneLine(message.name ?? 'a tool', 60)}`;
    case 'system':
      return 'instructions';
  }
}

/** The text of a message; its text documents become sources. */
function textOf({ content }: ChatMessage, place: string, files: Source[]): string {
  if (typeof content === 'string') return content;
  const texts: string[] = [];
  for (const part of content) {
    if (part.type === 'text') texts.push(part.text);
    else files.push(fileSource(part, `a file of ${place}`));
  }
  return texts.join('\n\n');
}

function fileSource(part: Exclude<ChatPart, { type: 'text' }>, label: string): Source {
  const { source } = part;
  if (part.type !== 'file' || !('base64' in source) || !isTextMediaType(source.mediaType)) {
    const what = part.type === 'file' ? 'a document that is not plain text' : `a ${part.type}`;
    throw new CallError(
      'not_configured',
      `No model is available, and only a model can look at ${what}.`,
      {
        provider: 'extractive',
        fixes: [
          fix('add_key', { provider: 'kimi' }),
          fix('add_key', { provider: 'glm' }),
          fix('run_doctor'),
        ],
      },
    );
  }
  return { label, kind: 'file', text: Buffer.from(source.base64, 'base64').toString('utf8') };
}

/**
 * The beginning or end of a file inside a message: `<file name="…">`, `</file>`, `--- FILE: … ---`,
 * `--- END FILE ---`. One expression, because a text may contain many of them.
 */
const EDGES =
  /<(\/?)(file|document|attachment)\b([^<>\n]{0,400})>|^[-=#]{2,12} ?(begin file:?|file:|end of file|end file)([^\n]{0,220})$/gim;
const TAG_NAME = /\b(?:name|path|filename|title|source)\s{0,4}=\s{0,4}(?:"([^"]*)"|'([^']*)')/i;
const TAG_MARK = /\bmark="(\d{1,64})"\s*$/;
const TAG_SUMMARY = /\bshown="summary"/;

interface Edge {
  readonly from: number;
  readonly to: number;
  readonly opens: boolean;
  /** The name of the tag; empty for a line. */
  readonly tag: string;
  /**
   * A number that only the writer of the prompt knows, so that nothing inside the file can end it.
   */
  readonly mark: string;
  readonly name: string;
  readonly shown: 'text' | 'summary';
}

/**
 * Extracts files from a text. In system messages a file must begin a line or follow another,
 * because they also mention files in sentences.
 */
function takeFilesOut(
  text: string,
  place: string,
  where: 'anywhere' | 'at line starts',
): { rest: string; inside: readonly Source[] } {
  const inside: Source[] = [];
  const rest: string[] = [];
  let open: Edge | undefined;
  let at = 0;
  const close = (until: number) => {
    if (!open) return;
    const own = open.tag === '' ? text.slice(open.to, until) : unframed(text, open.to, until);
    inside.push({ label: labelOf(open, place), kind: 'file', text: own });
  };
  for (const match of text.matchAll(EDGES)) {
    const edge = edgeOf(match);
    // Inside a tag only its own end counts: the file may contain other tags.
    if (open?.tag && (edge.opens || edge.tag !== open.tag || edge.mark !== open.mark)) continue;
    if (!open && !edge.opens) continue;
    const isApart = edge.from === at || beginsLine(text, edge.from);
    if (!open && where === 'at line starts' && !isApart) continue;
    if (open) close(edge.from);
    else rest.push(text.slice(at, edge.from));
    open = edge.opens ? edge : undefined;
    at = edge.to;
  }
  if (open) close(text.length);
  else rest.push(text.slice(at));
  return { rest: inside.length === 0 ? text : rest.join('\n'), inside };
}

function beginsLine(text: string, at: number): boolean {
  const before = text[at - 1];
  return before === undefined || before === '\n';
}

/** The text without the line ends around it, which belong to the tags. */
function unframed(text: string, from: number, to: number): string {
  const begin = text[from] === '\n' ? from + 1 : from;
  const end = to > begin && text[to - 1] === '\n' ? to - 1 : to;
  return text.slice(begin, end);
}

/** A file with a mark does not belong to a message, so none is named. */
function labelOf({ name, mark, shown }: Edge, place: string): string {
  const file = `file ${oneLine(name || 'without a name', MAX_NAME_CHARS)}`;
  const what = shown === 'summary' ? `the summary of ${file}` : file;
  return mark === '' ? `${what} (${place})` : what;
}

function edgeOf(match: RegExpExecArray): Edge {
  const [whole, slash, tag, attributes = '', word = '', after = ''] = match;
  const from = match.index;
  const to = from + whole.length;
  if (tag !== undefined) {
    const named = TAG_NAME.exec(attributes);
    return {
      from,
      to,
      opens: slash === '',
      tag: tag.toLowerCase(),
      mark: TAG_MARK.exec(attributes)?.[1] ?? '',
      name: named?.[1] ?? named?.[2] ?? '',
      shown: TAG_SUMMARY.test(attributes) ? 'summary' : 'text',
    };
  }
  const name = after.replaceAll(/^[: ]{0,2}|[-=# ]{1,14}$/g, '');
  const opens = !word.toLowerCase().startsWith('end');
  return { from, to, opens, tag: '', mark: '', name, shown: 'text' };
}
