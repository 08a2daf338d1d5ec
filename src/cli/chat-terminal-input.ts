import { createInterface } from 'node:readline';
import { PassThrough, Writable, type Readable } from 'node:stream';
import type { ChatInput, Heard } from './chat-input.ts';
import { createKeySplitter, LEAVE_PASTES, MARK_PASTES, type Typed } from './chat-keys.ts';
import { JOINT, linePart } from './chat-line.ts';
import { createPastes } from './chat-pastes.ts';
import type { Output } from './io.ts';

export interface Prompts {
  readonly first: string;
  readonly more: string;
  /** Stands for a line break behind a backslash, where a message of several lines comes back as one that can be edited. */
  readonly lineBreak: string;
}

export interface TerminalInputOptions {
  readonly input: Readable & { setRawMode(mode: boolean): unknown };
  readonly output: Output;
  readonly size: {
    readonly columns: number | undefined;
    on(event: 'resize', listener: () => void): unknown;
    off(event: 'resize', listener: () => void): unknown;
  };
  readonly prompts: Prompts;
  /** Oldest first; the lines of one message are joined by a backslash and a line break. */
  readonly history: readonly string[];
  readonly maxHistory: number;
  /** With their slashes, for the key Tab. */
  readonly commands: readonly string[];
  /** Hears each message as it was typed, in the form of `history`. */
  readonly onLine: (lines: string) => void;
  /** Said above the line that is edited. */
  readonly tell: (sentence: string) => void;
}

const CTRL_C = '\u0003';
const MAX_PASTE_CHARS = 10_000_000;
const MAX_AHEAD = 10_000;

/**
 * Lines that somebody edits at a terminal. While nobody waits for one, what is typed is neither shown nor lost: it comes into
 * the next line.
 */
export function createTerminalInput(options: TerminalInputOptions): ChatInput {
  const { input, output, size, prompts } = options;
  const split = createKeySplitter(MAX_PASTE_CHARS);
  const pastes = createPastes(2 * MAX_PASTE_CHARS);
  const ahead: Typed[] = [];
  const joint = `\\${prompts.lineBreak}`;
  /** The lines of a message before its last, as they were typed. */
  let begun: readonly string[] = [];
  let waiting: ((heard: Heard) => void) | undefined;
  let onInterrupt: (() => void) | undefined;
  let isOver = false;
  let isClosed = false;

  // Between the keys and the editor of Node, which would take every line break of a paste for the end of a line.
  const keys = Object.assign(new PassThrough(), {
    isTTY: true,
    setRawMode: (mode: boolean) => void input.setRawMode(mode),
  });
  const screen = new Writable({
    decodeStrings: false,
    write(chunk: unknown, _, done) {
      if (waiting) output.write(String(chunk));
      done();
    },
  });
  Object.defineProperty(screen, 'columns', { get: () => size.columns });
  const editor = createInterface({
    input: keys,
    output: screen,
    terminal: true,
    history: options.history.map((lines) => lines.replaceAll(JOINT, joint)).toReversed(),
    historySize: options.maxHistory,
    removeHistoryDuplicates: true,
    completer: (line: string) => [
      options.commands.filter((name) => name.startsWith(line) && line.startsWith('/')),
      line,
    ],
  });

  function settle(heard: Heard): void {
    const tell = waiting;
    waiting = undefined;
    if (heard.is !== 'text') begun = [];
    tell?.(heard);
  }

  function ask(): void {
    editor.setPrompt(begun.length === 0 ? prompts.first : prompts.more);
    editor.prompt();
  }

  /** What the arrow keys bring back, newest first, once there is something. */
  let past: string[] = [];
  editor.on('history', (lines) => (past = lines));

  /** The editor keeps each line by itself; a message of several is to come back whole. */
  function joinPast(lines: readonly string[]): void {
    if (lines.length === 1) return;
    for (const line of lines.toReversed()) if (past[0] === line) past.shift();
    const whole = lines.join(prompts.lineBreak);
    const again = past.indexOf(whole);
    if (again !== -1) past.splice(again, 1);
    past.unshift(whole);
  }

  editor.on('line', (line) => {
    const lines = [...begun, line];
    const isOpen = linePart(line).end === 'open';
    begun = isOpen ? lines : [];
    if (isOpen) return ask();
    joinPast(lines);
    const typed = lines.join('\n').replaceAll(joint, JOINT);
    options.onLine(typed);
    settle({ is: 'text', text: pastes.expand(typed.replaceAll(JOINT, '\n')) });
  });
  editor.on('SIGINT', () => {
    const dropped = editor.line === '' && begun.length === 0 ? 'nothing' : 'something';
    editor.write(null, { ctrl: true, name: 'e' });
    if (dropped === 'something') output.write('^C');
    const tell = waiting;
    // The editor forgets the line while it shows nothing, so that what was typed can still be read.
    waiting = undefined;
    editor.write(null, { ctrl: true, name: 'u' });
    waiting = tell;
    settle({ is: 'interrupt', dropped });
  });
  editor.on('close', () => {
    isOver = true;
    settle({ is: 'end', because: 'closed' });
  });

  /** Hands over what was typed, up to the end of a line: what follows belongs to the next one. */
  function feed(): void {
    while (waiting && !isOver && ahead.length > 0) {
      const typed = ahead.shift();
      if (typed?.is === 'keys') {
        let at = 0;
        // One by one: several at once are taken for text, and not for keys that edit it.
        for (const key of typed.text) {
          at += key.length;
          keys.emit('data', key);
          if (!waiting || isOver) break;
        }
        if (at < typed.text.length) ahead.unshift({ is: 'keys', text: typed.text.slice(at) });
      } else if (typed?.is === 'paste') editor.write(pastes.take(typed.text));
      else {
        output.write('\n');
        options.tell(
          `What was pasted is longer than ${MAX_PASTE_CHARS / 1_000_000} million characters; put it into a file: /file`,
        );
        editor.prompt(true);
      }
    }
  }

  const onData = (chunk: unknown) => {
    // Enter is one key, however it is sent.
    for (const typed of split(String(chunk).replaceAll('\r\n', '\r'))) {
      const isOut = !waiting && typed.is === 'keys' && typed.text.includes(CTRL_C);
      if (isOut) {
        ahead.length = 0;
        onInterrupt?.();
      } else if (ahead.length < MAX_AHEAD) ahead.push(typed);
    }
    feed();
  };
  const onEnd = () => editor.close();
  const onResize = () => void (waiting && screen.emit('resize'));
  const onSignal = () => (waiting ? editor.emit('SIGINT') : onInterrupt?.());
  // A shell in between may have taken the marks away.
  const onBack = () => output.write(MARK_PASTES);
  input.setEncoding('utf8');
  input.on('data', onData);
  input.on('end', onEnd);
  input.on('error', onEnd);
  size.on('resize', onResize);
  process.on('SIGINT', onSignal);
  process.on('SIGCONT', onBack);
  output.write(MARK_PASTES);

  return {
    next: () =>
      new Promise((resolve) => {
        if (isOver) return resolve({ is: 'end', because: 'closed' });
        waiting = resolve;
        ask();
        feed();
      }),
    whileBusy(listener) {
      onInterrupt = listener;
      return { stop: () => (onInterrupt = undefined) };
    },
    close() {
      if (isClosed) return;
      isClosed = true;
      input.off('data', onData);
      input.off('end', onEnd);
      input.off('error', onEnd);
      size.off('resize', onResize);
      process.off('SIGINT', onSignal);
      process.off('SIGCONT', onBack);
      editor.close();
      input.pause();
      output.write(LEAVE_PASTES);
    },
  };
}
