import { createInterface } from 'node:readline';
import { PassThrough, Writable, type Readable } from 'node:stream';
import type { Output } from '../io.ts';
import {
  CONTINUATION,
  createKeySplitter,
  createPasteLabels,
  DISABLE_BRACKETED_PASTE,
  ENABLE_BRACKETED_PASTE,
  splitContinuation,
  type ChatInput,
  type InputEvent,
  type TypedChunk,
} from './input.ts';

export interface ChatPrompts {
  readonly first: string;
  readonly more: string;
  /**
   * Stands for a line break behind a backslash, where a message of several lines is recalled as one
   * line for editing.
   */
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
  readonly prompts: ChatPrompts;
  /** Oldest first; the lines of one message are joined by a backslash and a line break. */
  readonly history: readonly string[];
  readonly maxHistory: number;
  /** With their slashes, for completion with Tab. */
  readonly commands: readonly string[];
  /** Called with each message as it was typed, in the form of `history`. */
  readonly onLine: (lines: string) => void;
  /** Shows a sentence above the edited line. */
  readonly showError: (sentence: string) => void;
}

const CTRL_C = '\u0003';
const MAX_PASTE_CHARS = 10_000_000;
const MAX_AHEAD = 10_000;

/**
 * Reads lines that the user edits at a terminal. What is typed while no line is awaited is not
 * shown; it goes into the next line.
 */
export function createTerminalInput(options: TerminalInputOptions): ChatInput {
  const { input, output, size, prompts } = options;
  const split = createKeySplitter(MAX_PASTE_CHARS);
  const pastes = createPasteLabels(2 * MAX_PASTE_CHARS);
  const ahead: TypedChunk[] = [];
  const joint = `\\${prompts.lineBreak}`;
  /** The lines of an unfinished message, as they were typed. */
  let unfinished: readonly string[] = [];
  let pendingNext: ((heard: InputEvent) => void) | undefined;
  let onInterrupt: (() => void) | undefined;
  let isOver = false;
  let isClosed = false;

  // Sits between the keys and the editor of Node, which would take every line break of a paste as
  // the end of a line.
  const keys = Object.assign(new PassThrough(), {
    isTTY: true,
    setRawMode: (mode: boolean) => void input.setRawMode(mode),
  });
  const screen = new Writable({
    decodeStrings: false,
    write(chunk: unknown, _, done) {
      if (pendingNext) output.write(String(chunk));
      done();
    },
  });
  Object.defineProperty(screen, 'columns', { get: () => size.columns });
  const editor = createInterface({
    input: keys,
    output: screen,
    terminal: true,
    history: options.history.map((lines) => lines.replaceAll(CONTINUATION, joint)).toReversed(),
    historySize: options.maxHistory,
    removeHistoryDuplicates: true,
    completer: (line: string) => [
      options.commands.filter((name) => name.startsWith(line) && line.startsWith('/')),
      line,
    ],
  });

  function settle(heard: InputEvent): void {
    const tell = pendingNext;
    pendingNext = undefined;
    if (heard.is !== 'text') unfinished = [];
    tell?.(heard);
  }

  function ask(): void {
    editor.setPrompt(unfinished.length === 0 ? prompts.first : prompts.more);
    editor.prompt();
  }

  /** The history of the editor, newest first; replaced when the editor reports it. */
  let past: string[] = [];
  editor.on('history', (lines) => (past = lines));

  /**
   * The editor stores each line separately; a message of several lines must be recalled as a whole.
   */
  function joinPast(lines: readonly string[]): void {
    if (lines.length === 1) return;
    for (const line of lines.toReversed()) if (past[0] === line) past.shift();
    const whole = lines.join(prompts.lineBreak);
    const again = past.indexOf(whole);
    if (again !== -1) past.splice(again, 1);
    past.unshift(whole);
  }

  editor.on('line', (line) => {
    const lines = [...unfinished, line];
    const isOpen = splitContinuation(line).end === 'open';
    unfinished = isOpen ? lines : [];
    if (isOpen) return ask();
    joinPast(lines);
    const typed = lines.join('\n').replaceAll(joint, CONTINUATION);
    options.onLine(typed);
    settle({ is: 'text', text: pastes.expand(typed.replaceAll(CONTINUATION, '\n')) });
  });
  editor.on('SIGINT', () => {
    const dropped = editor.line === '' && unfinished.length === 0 ? 'nothing' : 'something';
    editor.write(null, { ctrl: true, name: 'e' });
    if (dropped === 'something') output.write('^C');
    const tell = pendingNext;
    // The editor clears the line while nothing is shown, so that what was typed stays readable.
    pendingNext = undefined;
    editor.write(null, { ctrl: true, name: 'u' });
    pendingNext = tell;
    settle({ is: 'interrupt', dropped });
  });
  editor.on('close', () => {
    isOver = true;
    settle({ is: 'end', cause: 'closed' });
  });

  /** Passes typed keys to the editor up to the end of a line; the rest belongs to the next line. */
  function feed(): void {
    while (pendingNext && !isOver && ahead.length > 0) {
      const typed = ahead.shift();
      if (typed?.is === 'keys') {
        let at = 0;
        // One by one: several characters at once are taken as text, not as editing keys.
        for (const key of typed.text) {
          at += key.length;
          keys.emit('data', key);
          if (!pendingNext || isOver) break;
        }
        if (at < typed.text.length) ahead.unshift({ is: 'keys', text: typed.text.slice(at) });
      } else if (typed?.is === 'paste') editor.write(pastes.take(typed.text));
      else {
        output.write('\n');
        options.showError(
          `What was pasted is longer than ${MAX_PASTE_CHARS / 1_000_000} million characters; put it into a file: /file`,
        );
        editor.prompt(true);
      }
    }
  }

  const onData = (chunk: unknown) => {
    // Enter is one key, whether sent as CR or CRLF.
    for (const typed of split(String(chunk).replaceAll('\r\n', '\r'))) {
      const isOut = !pendingNext && typed.is === 'keys' && typed.text.includes(CTRL_C);
      if (isOut) {
        ahead.length = 0;
        onInterrupt?.();
      } else if (ahead.length < MAX_AHEAD) ahead.push(typed);
    }
    feed();
  };
  const onEnd = () => editor.close();
  const onResize = () => void (pendingNext && screen.emit('resize'));
  const onSignal = () => (pendingNext ? editor.emit('SIGINT') : onInterrupt?.());
  // Another program in the foreground may have switched bracketed paste off.
  const onBack = () => output.write(ENABLE_BRACKETED_PASTE);
  input.setEncoding('utf8');
  input.on('data', onData);
  input.on('end', onEnd);
  input.on('error', onEnd);
  size.on('resize', onResize);
  process.on('SIGINT', onSignal);
  process.on('SIGCONT', onBack);
  output.write(ENABLE_BRACKETED_PASTE);

  return {
    next: () =>
      new Promise((resolve) => {
        if (isOver) return resolve({ is: 'end', cause: 'closed' });
        pendingNext = resolve;
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
      output.write(DISABLE_BRACKETED_PASTE);
    },
  };
}
