import { join } from 'node:path';
import type { ReadStream, WriteStream } from 'node:tty';
import { systemClock } from '#app/system.ts';
import { homePaths } from '#config/home/home.ts';
import { escapeControls } from '../format/escape-controls.ts';
import type { Io } from '../io.ts';
import { resolveChatFile, type ShellContext } from './attach-file.ts';
import { chooseChatModel } from './choose-model.ts';
import { SLASH_COMMAND_NAMES } from './commands.ts';
import { createChatConnect, type ChatConnect } from './connect.ts';
import {
  createPipedInput,
  loadChatHistory,
  MAX_HISTORY,
  saveChatHistory,
  type ChatInput,
} from './input.ts';
import { runChatLoop } from './loop.ts';
import { resumeChat } from './resume.ts';
import { createChatScreen, type ChatScreen } from './screen.ts';
import { NEW_CHAT, type ChatState } from './state.ts';
import { createTerminalInput, type ChatPrompts } from './terminal-input.ts';
import { findSetupHint, formatWelcome } from './welcome.ts';

export interface ChatOptions {
  /** An id, or the latest chat; undefined starts a new one. */
  readonly resume: 'last' | { readonly id: string } | undefined;
  readonly model: string | undefined;
  readonly web: 'on' | 'auto';
  readonly files: readonly string[];
  readonly display: 'rendered' | 'raw';
  readonly message: string | undefined;
  readonly format: 'text' | 'json';
}

export interface ChatTerminal {
  readonly stdin: ReadStream;
  readonly stdout: WriteStream;
}

const HISTORY_FILE = 'chat-history';

/** Runs a chat from its first message to its end; resolves to the exit code. */
export async function runChat(
  options: ChatOptions,
  io: Io,
  streams: ChatTerminal,
): Promise<number> {
  const screen = createChatScreen({
    io,
    clock: systemClock,
    format: options.format,
    columns: () => streams.stdout.columns,
  });
  const connect = createChatConnect(io, (notice) => screen.note(notice));
  const isInteractive = streams.stdin.isTTY && io.width !== undefined && options.format === 'text';
  const shell: ShellContext = { cwd: process.cwd(), env: io.env };
  const { state, shown } = await resolveInitialState(
    options,
    shell,
    connect(io.signal),
    screen,
    io,
  );
  const prompts = choosePrompts(io);
  if (isInteractive) {
    screen.greet(formatWelcome(state), 'dim');
    screen.startSpinner('asking the daemon');
    const hint = await findSetupHint(io.env, connect(io.signal));
    screen.stopSpinner();
    if (hint !== undefined) screen.greet(hint, 'yellow');
    io.stdout.write('\n');
    if (shown !== undefined) io.stdout.write(`${shown}\n\n`);
    if (options.message !== undefined)
      io.stdout.write(`${prompts.first}${escapeControls(options.message)}\n`);
  }
  const open = isInteractive
    ? openTerminal(io, streams, prompts, screen)
    : { input: createPipedInput(streams.stdin), hangUp: undefined, release: () => undefined };
  const { input } = open;
  const onAbort = open.hangUp ?? (() => input.close());
  io.signal.addEventListener('abort', onAbort, { once: true });
  try {
    const ended = await runChatLoop(state, options.message, {
      ...shell,
      io,
      input,
      screen,
      connect,
      clock: systemClock,
      format: options.format,
      isInteractive,
    });
    const { thread } = ended.state;
    if (!isInteractive) return ended.exit;
    if (thread) screen.note(`Continue: exai chat --resume ${thread.id}`);
    return 0;
  } finally {
    input.close();
    open.release();
  }
}

/** The state that the command line asks for. An invalid option ends the command. */
async function resolveInitialState(
  { resume: earlier, model, web, files, display }: ChatOptions,
  shell: ShellContext,
  connect: ChatConnect,
  screen: ChatScreen,
  { paint }: Pick<Io, 'paint'>,
): Promise<{ readonly state: ChatState; readonly shown?: string }> {
  const initial: ChatState = {
    ...NEW_CHAT,
    web,
    display,
    files: files.map((file) => resolveChatFile(file, shell)),
  };
  if (earlier === undefined && model === undefined) return { state: initial };
  screen.startSpinner('asking the daemon');
  try {
    const chosen = model === undefined ? undefined : await chooseChatModel(model, initial, connect);
    const state = { ...initial, model: chosen?.model };
    if (earlier === undefined) return { state };
    const view = { paint, formatAnswer: screen.formatAnswer };
    return await resumeChat(state, earlier === 'last' ? undefined : earlier.id, connect, view);
  } finally {
    screen.stopSpinner();
  }
}

function choosePrompts({ paint, charset }: Pick<Io, 'paint' | 'charset'>): ChatPrompts {
  const [first, more, lineBreak] = charset === 'utf-8' ? ['› ', '… ', '⏎'] : ['> ', '. ', '^J'];
  return { first: paint('bold', first), more: paint('dim', more), lineBreak };
}

/** Opens the terminal for input and restores it, however the program ends. */
function openTerminal(
  io: Io,
  { stdin, stdout }: ChatTerminal,
  prompts: ChatPrompts,
  screen: ChatScreen,
): { readonly input: ChatInput; readonly hangUp: () => void; release(): void } {
  const file = join(homePaths(io.env).root, HISTORY_FILE);
  const typed: string[] = [];
  /**
   * The terminal was closed. Node cannot exit normally, because it tries to restore a terminal that
   * is gone; the signal ends the process instead.
   */
  const hangUp = () => {
    saveChatHistory(file, typed);
    process.off('SIGHUP', hangUp);
    process.kill(process.pid, 'SIGHUP');
  };
  // Registered before the editor. A terminal's input ends only when it is closed: Ctrl-D is a key.
  stdin.on('end', hangUp);
  stdin.on('error', hangUp);
  const input = createTerminalInput({
    input: stdin,
    output: io.editor,
    size: stdout,
    prompts,
    history: loadChatHistory(file),
    maxHistory: MAX_HISTORY,
    commands: SLASH_COMMAND_NAMES,
    onLine(line) {
      typed.push(line);
      if (typed.length > MAX_HISTORY) typed.shift();
    },
    showError: (sentence) => screen.showError(sentence),
  });
  const onTerminate = () => {
    input.close();
    saveChatHistory(file, typed);
    // The exit code of a process that was ended by signal 15.
    process.exit(143);
  };
  const onExit = () => input.close();
  process.on('SIGTERM', onTerminate);
  process.on('SIGHUP', hangUp);
  process.on('exit', onExit);
  return {
    input,
    hangUp,
    release() {
      process.off('SIGTERM', onTerminate);
      process.off('SIGHUP', hangUp);
      stdin.off('end', hangUp);
      stdin.off('error', hangUp);
      process.off('exit', onExit);
      saveChatHistory(file, typed);
    },
  };
}
