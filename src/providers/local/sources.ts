import type { ChatMessage, ChatPart } from '#core/chat.ts';
import { CallError } from '#core/call-error.ts';
import { oneLine } from '#core/one-line.ts';

/** A text to look in, and how to name it to the person who asked. */
export interface Source {
  readonly label: string;
  readonly kind: 'file' | 'message';
  readonly text: string;
}

export interface Material {
  /** What was asked, as far as it can be told from what it is asked about. */
  readonly question: string;
  /** Files first, then messages, the newest first. */
  readonly sources: readonly Source[];
}

/** A question is seldom longer; what goes beyond is material. */
const MAX_QUESTION_CHARS = 1_500;
const QUESTION_HEAD_CHARS = 300;
const QUESTION_TAIL_CHARS = 700;
const MAX_NAME_CHARS = 120;

/** Takes a conversation apart. Instructions are no material; a file inside them is. */
export function readMaterial(messages: readonly ChatMessage[]): Material {
  const files: Source[] = [];
  const said: Source[] = [];
  const lastUser = messages.findLastIndex(({ role }) => role === 'user');
  let question = '';
  for (const [index, message] of messages.entries()) {
    const place = `message ${index + 1}`;
    const { rest, inside } = takeFilesOut(textOf(message, place, files), place);
    for (const source of inside) files.push(source);
    if (message.role === 'system' || rest.trim() === '') continue;
    if (index === lastUser) {
      question = questionIn(rest);
      if (rest.length <= MAX_QUESTION_CHARS) continue;
    }
    said.push({ label: `${place} (${speaker(message)})`, kind: 'message', text: rest });
  }
  return { question, sources: [...files, ...said.toReversed()] };
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

/** The text of a message; documents among its parts that are texts become sources. */
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
  if (part.type !== 'file' || !('base64' in source) || !isTextType(source.mediaType)) {
    const what = part.type === 'file' ? 'a document that is not plain text' : `a ${part.type}`;
    throw new CallError(
      'not_configured',
      `No model could be reached, and nobody else can look at ${what}.`,
      {
        provider: 'local',
        fix: 'exai keys add kimi, or exai keys add glm; exai doctor says which providers fail.',
      },
    );
  }
  return { label, kind: 'file', text: Buffer.from(source.base64, 'base64').toString('utf8') };
}

function isTextType(type: string): boolean {
  return /^(?:text\/|application\/(?:json|xml|yaml|x-yaml|javascript|typescript|toml)\b)/i.test(
    type,
  );
}

/**
 * What begins or ends a file inside a message: `<file name="…">`, `</file>`, `--- FILE: … ---`, `--- END FILE ---`. Looked for in
 * one go, because a text may be full of them.
 */
const EDGES =
  /<(\/?)(file|document|attachment)\b([^<>\n]{0,400})>|^[-=#]{2,12} ?(begin file:?|file:|end of file|end file)([^\n]{0,220})$/gim;
const TAG_NAME = /\b(?:name|path|filename|title|source)\s{0,4}=\s{0,4}(?:"([^"]*)"|'([^']*)')/i;

interface Edge {
  readonly from: number;
  readonly to: number;
  readonly opens: boolean;
  /** The name of the tag; a line has none. */
  readonly tag: string;
  readonly name: string;
}

function takeFilesOut(text: string, place: string): { rest: string; inside: readonly Source[] } {
  const inside: Source[] = [];
  const rest: string[] = [];
  let open: Edge | undefined;
  let at = 0;
  const close = (until: number) => {
    if (!open) return;
    const label = `file ${oneLine(open.name || 'without a name', MAX_NAME_CHARS)} (${place})`;
    inside.push({ label, kind: 'file', text: text.slice(open.to, until) });
  };
  for (const match of text.matchAll(EDGES)) {
    const edge = edgeOf(match);
    // Inside tags only their own end counts: the file may hold all the others.
    if (open?.tag && (edge.opens || edge.tag !== open.tag)) continue;
    if (!open && !edge.opens) continue;
    if (open) close(edge.from);
    else rest.push(text.slice(at, edge.from));
    open = edge.opens ? edge : undefined;
    at = edge.to;
  }
  if (open) close(text.length);
  else rest.push(text.slice(at));
  return { rest: inside.length === 0 ? text : rest.join('\n'), inside };
}

function edgeOf(match: RegExpExecArray): Edge {
  const [whole, slash, tag, attributes = '', word = '', after = ''] = match;
  const from = match.index;
  const to = from + whole.length;
  if (tag !== undefined) {
    const named = TAG_NAME.exec(attributes);
    const name = named?.[1] ?? named?.[2] ?? '';
    return { from, to, opens: slash === '', tag: tag.toLowerCase(), name };
  }
  const name = after.replaceAll(/^[: ]{0,2}|[-=# ]{1,14}$/g, '');
  return { from, to, opens: !word.toLowerCase().startsWith('end'), tag: '', name };
}
