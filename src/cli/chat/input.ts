import { readFileSync } from 'node:fs';
import { addAbortSignal, type Readable } from 'node:stream';
import { writePrivateFile } from '#config/home/private-files.ts';
import { createBoundedMap } from '#core/bounded-map.ts';
import { CallError } from '#core/errors/call-error.ts';
import { formatInteger } from '../format/text.ts';

/** An event from the user of a chat. */
export type InputEvent =
  | { readonly is: 'text'; readonly text: string }
  /** Ctrl-C while a line is edited; `nothing` where the line was empty. */
  | { readonly is: 'interrupt'; readonly dropped: 'something' | 'nothing' }
  | { readonly is: 'end'; readonly cause: 'closed' | 'interrupted' };

export interface ChatInput {
  /** The next message or command, which may have several lines. */
  next(): Promise<InputEvent>;
  /** Reports Ctrl-C until `stop` is called. */
  whileBusy(onInterrupt: () => void): { stop(): void };
  /** Restores the terminal. */
  close(): void;
}

/** A line of the user: a message, a slash command, or nothing. */
type ParsedChatLine =
  | { readonly is: 'nothing' }
  | { readonly is: 'message'; readonly text: string }
  | { readonly is: 'command'; readonly name: string; readonly rest: string };

const COMMAND = /^\/(\S*)\s*(.*)$/;

/**
 * A command starts with a slash and has one line. Longer text, such as pasted code, is a message.
 */
export function parseChatLine(text: string): ParsedChatLine {
  if (text.trim() === '') return { is: 'nothing' };
  if (text.includes('\n')) return { is: 'message', text };
  if (text.startsWith('//')) return { is: 'message', text: text.slice(1) };
  const [, name, rest = ''] = COMMAND.exec(text) ?? [];
  return name === undefined
    ? { is: 'message', text }
    : { is: 'command', name: name.toLowerCase(), rest: rest.trim() };
}

interface LinePart {
  readonly text: string;
  /** `open`: the next line belongs to the same message. */
  readonly end: 'open' | 'closed';
}

/** Separates two lines of one message, as the user types it. */
export const CONTINUATION = '\\\n';

/** A backslash at the end of a line continues the message; two of them are literal. */
export function splitContinuation(line: string): LinePart {
  const slashes = /\\*$/.exec(line)?.[0].length ?? 0;
  return slashes % 2 === 1
    ? { text: line.slice(0, -1), end: 'open' }
    : { text: line, end: 'closed' };
}

/** Input from a terminal in bracketed paste mode. */
export type TypedChunk =
  | { readonly is: 'keys'; readonly text: string }
  | { readonly is: 'paste'; readonly text: string }
  | { readonly is: 'huge paste' };

/** Switch bracketed paste mode on and off. */
export const ENABLE_BRACKETED_PASTE = '\u001b[?2004h';
export const DISABLE_BRACKETED_PASTE = '\u001b[?2004l';

const PASTE_START = '\u001b[200~';
const PASTE_END = '\u001b[201~';
const CTRL_C = '\u0003';

/** Separates keys from pastes, in whatever chunks they arrive. */
export function createKeySplitter(maxPasteChars: number): (chunk: string) => readonly TypedChunk[] {
  /** A possible start of a mark. */
  let held = '';
  let paste: string | undefined;
  let isHuge = false;

  function endPaste(): TypedChunk {
    const text = paste ?? '';
    const typed: TypedChunk = isHuge ? { is: 'huge paste' } : { is: 'paste', text };
    paste = undefined;
    isHuge = false;
    return typed;
  }

  return (chunk) => {
    // A paste whose end is missing would swallow everything; a single Ctrl-C abandons it.
    if (paste !== undefined && chunk === CTRL_C) {
      paste = undefined;
      isHuge = false;
      held = '';
    }
    const found: TypedChunk[] = [];
    let rest = held + chunk;
    held = '';
    while (rest !== '') {
      const mark = paste === undefined ? PASTE_START : PASTE_END;
      const at = rest.indexOf(mark);
      const whole =
        at === -1 ? rest.slice(0, rest.length - partialMarkLength(rest, mark)) : rest.slice(0, at);
      if (paste !== undefined) {
        isHuge ||= paste.length + whole.length > maxPasteChars;
        paste = isHuge ? '' : paste + whole;
      } else if (whole !== '') found.push({ is: 'keys', text: whole });
      if (at === -1) {
        held = rest.slice(whole.length);
        break;
      }
      if (paste === undefined) paste = '';
      else found.push(endPaste());
      rest = rest.slice(at + mark.length);
    }
    return found;
  };
}

/**
 * The length of a partial mark at the end of the text. A single Escape is a key and is passed on.
 */
function partialMarkLength(text: string, mark: string): number {
  for (let length = mark.length - 1; length > 1; length -= 1) {
    if (text.endsWith(mark.slice(0, length))) return length;
  }
  return 0;
}

/** Stands in for pasted text that does not fit into an edited line. */
interface PasteLabels {
  /** The text itself if it fits, or else a label for it. */
  take(text: string): string;
  /** The line with its labels replaced by the pasted text. */
  expand(line: string): string;
}

const MAX_SHOWN_CHARS = 500;
const LABEL = /\[pasted #\d+: [\d,]+ (?:lines|characters)\]/g;

export function createPasteLabels(maxKeptChars: number): PasteLabels {
  const pastes = createBoundedMap<string, string>({
    maxWeight: maxKeptChars,
    // The newest paste is kept, whatever its length.
    weigh: (text) => Math.min(text.length, maxKeptChars),
  });
  let count = 0;

  return {
    take(pasted) {
      // Terminals send a pasted line break as the key Enter.
      const text = pasted.replaceAll(/\r\n?/g, '\n').replace(/\n+$/, '');
      if (text.length <= MAX_SHOWN_CHARS && !/\p{Cc}/u.test(text)) return text;
      count += 1;
      const lines = text.split('\n').length;
      const size =
        lines > 1 ? `${formatInteger(lines)} lines` : `${formatInteger(text.length)} characters`;
      const label = `[pasted #${count}: ${size}]`;
      pastes.set(label, text);
      return label;
    },
    expand: (line) => line.replaceAll(LABEL, (label) => pastes.get(label) ?? label),
  };
}

/** Whether the line has a paste label, which means nothing outside its chat. */
export function hasPasteLabel(line: string): boolean {
  return line.search(LABEL) !== -1;
}

export const MAX_HISTORY = 500;
const MAX_LINE_CHARS = 2_000;
const MAX_FILE_CHARS = MAX_HISTORY * (MAX_LINE_CHARS + 1);

/**
 * What was typed in earlier chats, oldest first. The lines of one message are joined as they were
 * typed.
 */
export function loadChatHistory(file: string): readonly string[] {
  try {
    const text = readFileSync(file, 'utf8').slice(-MAX_FILE_CHARS);
    return joinHistoryLines(text).filter(isStorable).slice(-MAX_HISTORY);
  } catch {
    // The file is missing or unreadable; a chat works without history.
    return [];
  }
}

/**
 * Appends what was typed in this chat to the history, which other chats may have extended
 * meanwhile.
 */
export function saveChatHistory(file: string, typed: readonly string[]): void {
  const lines = typed.filter(isStorable);
  if (lines.length === 0) return;
  const all = [...loadChatHistory(file), ...lines].filter(
    (line, at, every) => line !== every[at + 1],
  );
  try {
    writePrivateFile(file, `${all.slice(-MAX_HISTORY).join('\n')}\n`);
  } catch {
    // History is optional; a home that is not writable is reported elsewhere.
  }
}

function joinHistoryLines(text: string): readonly string[] {
  const messages: string[] = [];
  let unfinished: string[] = [];
  for (const line of text.split('\n')) {
    unfinished.push(line);
    if (splitContinuation(line).end === 'open') continue;
    messages.push(unfinished.join('\n'));
    unfinished = [];
  }
  return messages;
}

function isStorable(line: string): boolean {
  return line.trim() !== '' && line.length <= MAX_LINE_CHARS && !hasPasteLabel(line);
}

const MAX_CHARS = 10_000_000;

/** Reads each piped line as a message. Ctrl-C cancels the work and ends the chat. */
export function createPipedInput(input: Readable): ChatInput {
  const interrupt = new AbortController();
  const messages = joinPipedLines(readPipedLines(addAbortSignal(interrupt.signal, input)));
  let onInterrupt: (() => void) | undefined;
  const onSignal = () => {
    interrupt.abort();
    onInterrupt?.();
  };
  process.on('SIGINT', onSignal);

  return {
    async next(): Promise<InputEvent> {
      try {
        const { value, done } = await messages.next();
        if (done !== true) return { is: 'text', text: value };
      } catch (thrown) {
        if (!interrupt.signal.aborted) throw thrown;
      }
      return { is: 'end', cause: interrupt.signal.aborted ? 'interrupted' : 'closed' };
    },
    whileBusy(listener) {
      onInterrupt = listener;
      return { stop: () => (onInterrupt = undefined) };
    },
    close: () => void process.off('SIGINT', onSignal),
  };
}

async function* joinPipedLines(lines: AsyncIterable<string>): AsyncGenerator<string, void> {
  let begun: string | undefined;
  for await (const line of lines) {
    const { text, end } = splitContinuation(line);
    const whole: string = begun === undefined ? text : `${begun}\n${text}`;
    if (whole.length > MAX_CHARS) throw tooLong();
    begun = end === 'open' ? whole : undefined;
    if (end === 'closed') yield whole;
  }
  if (begun !== undefined) yield begun;
}

async function* readPipedLines(input: Readable): AsyncGenerator<string, void> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let rest = '';
  for await (const chunk of input) {
    const lines = (
      rest + decoded(() => decoder.decode(chunk as Uint8Array, { stream: true }))
    ).split('\n');
    rest = lines.pop() ?? '';
    if (rest.length > MAX_CHARS) throw tooLong();
    yield* lines.map((line) => line.replace(/\r$/, ''));
  }
  rest += decoded(() => decoder.decode());
  if (rest !== '') yield rest;
}

function decoded(read: () => string): string {
  try {
    return read();
  } catch (cause) {
    throw new CallError('validation', 'Standard input is not UTF-8 text.', {
      field: 'stdin',
      fix: 'Pipe in text; iconv turns other encodings into UTF-8.',
      cause,
    });
  }
}

function tooLong(): CallError {
  return new CallError(
    'too_large',
    `A message that was piped in has more than ${MAX_CHARS / 1_000_000} million characters; each line is one.`,
    {
      field: 'stdin',
      fix: 'Name a file instead: exai chat --file FILE, or ask about it: exai ask "…" < FILE',
    },
  );
}
