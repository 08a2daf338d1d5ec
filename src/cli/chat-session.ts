import { join } from 'node:path';
import type { ReadStream, WriteStream } from 'node:tty';
import { systemClock } from '#app/system.ts';
import { homePaths } from '#config/home.ts';
import { COMMAND_NAMES } from './chat-commands.ts';
import { createConnect, type Connect } from './chat-connect.ts';
import { chatFile, type Place } from './chat-file.ts';
import { keepHistory, MAX_HISTORY, readHistory } from './chat-history.ts';
import type { ChatInput } from './chat-input.ts';
import { chatLoop } from './chat-loop.ts';
import { chooseModel } from './chat-models.ts';
import { createPipedInput } from './chat-piped-input.ts';
import { resume } from './chat-resume.ts';
import { createChatScreen, type ChatScreen } from './chat-screen.ts';
import { NEW_CHAT, type ChatState } from './chat-state.ts';
import { createTerminalInput, type Prompts } from './chat-terminal-input.ts';
import type { Io } from './io.ts';
import { harmless } from './terminal-text.ts';

export interface ChatWish {
  /** An id, or the last chat; nothing begins a new one. */
  readonly resume: 'last' | { readonly id: string } | undefined;
  readonly model: string | undefined;
  readonly web: 'on' | 'auto';
  readonly files: readonly string[];
  readonly message: string | undefined;
  readonly format: 'words' | 'json';
}

export interface ChatStreams {
  readonly stdin: ReadStream;
  readonly stdout: WriteStream;
}

const HISTORY_FILE = 'chat-history';
const WELCOME = 'EX-AI chat. /help has the commands; Ctrl-C cancels an answer, Ctrl-D leaves.';

/** A chat from its first message to its end; gives the exit code. */
export async function runChat(wish: ChatWish, io: Io, streams: ChatStreams): Promise<number> {
  const screen = createChatScreen({
    io,
    clock: systemClock,
    format: wish.format,
    columns: () => streams.stdout.columns,
  });
  const connect = createConnect(io, (notice) => screen.note(notice));
  const isWatched = streams.stdin.isTTY && io.width !== undefined && wish.format === 'words';
  const place: Place = { cwd: process.cwd(), env: io.env };
  const { state, shown } = await begin(wish, place, connect(io.signal), screen, io);
  const prompts = promptsOf(io);
  if (isWatched) {
    io.stdout.write(`${io.paint('dim', WELCOME)}\n\n`);
    if (shown !== undefined) io.stdout.write(`${shown}\n\n`);
    if (wish.message !== undefined) io.stdout.write(`${prompts.first}${harmless(wish.message)}\n`);
  }
  const open = isWatched
    ? openTerminal(io, streams, prompts, screen)
    : { input: createPipedInput(streams.stdin), hangUp: undefined, release: () => undefined };
  const { input } = open;
  const onAbort = open.hangUp ?? (() => input.close());
  io.signal.addEventListener('abort', onAbort, { once: true });
  try {
    const ended = await chatLoop(state, wish.message, {
      ...place,
      io,
      input,
      screen,
      connect,
      clock: systemClock,
      format: wish.format,
      watched: isWatched ? 'yes' : 'no',
    });
    const { thread } = ended.state;
    if (!isWatched) return ended.exit;
    if (thread) screen.note(`Go on with it: exai chat --resume ${thread.id}`);
    return 0;
  } finally {
    input.close();
    open.release();
  }
}

/** What the options wish for, before anything is said; what is wrong with them ends the command. */
async function begin(
  { resume: earlier, model, web, files }: ChatWish,
  place: Place,
  connect: Connect,
  screen: ChatScreen,
  { paint }: Pick<Io, 'paint'>,
): Promise<{ readonly state: ChatState; readonly shown?: string }> {
  const wished: ChatState = {
    ...NEW_CHAT,
    web,
    files: files.map((file) => chatFile(file, place)),
  };
  if (earlier === undefined && model === undefined) return { state: wished };
  screen.wait('asking the daemon');
  try {
    const chosen = model === undefined ? undefined : await chooseModel(model, wished, connect);
    const state = { ...wished, model: chosen?.model };
    if (earlier === undefined) return { state };
    return await resume(state, earlier === 'last' ? undefined : earlier.id, connect, paint);
  } finally {
    screen.still();
  }
}

function promptsOf({ paint, charset }: Pick<Io, 'paint' | 'charset'>): Prompts {
  const [first, more, lineBreak] = charset === 'utf-8' ? ['› ', '… ', '⏎'] : ['> ', '. ', '^J'];
  return { first: paint('bold', first), more: paint('dim', more), lineBreak };
}

/** The terminal, given back whatever ends the program. */
function openTerminal(
  io: Io,
  { stdin, stdout }: ChatStreams,
  prompts: Prompts,
  screen: ChatScreen,
): { readonly input: ChatInput; readonly hangUp: () => void; release(): void } {
  const file = join(homePaths(io.env).root, HISTORY_FILE);
  const typed: string[] = [];
  /**
   * The terminal was closed. Node cannot exit then, as it insists on giving back a terminal that is gone; the signal ends it as it
   * would have without us.
   */
  const hangUp = () => {
    keepHistory(file, typed);
    process.off('SIGHUP', hangUp);
    process.kill(process.pid, 'SIGHUP');
  };
  // Before the editor hears of it. The keys of a terminal come to an end by nothing else: Ctrl-D is one of them.
  stdin.on('end', hangUp);
  stdin.on('error', hangUp);
  const input = createTerminalInput({
    input: stdin,
    output: io.stdout,
    size: stdout,
    prompts,
    history: readHistory(file),
    maxHistory: MAX_HISTORY,
    commands: COMMAND_NAMES,
    onLine(line) {
      typed.push(line);
      if (typed.length > MAX_HISTORY) typed.shift();
    },
    tell: (sentence) => screen.fault(sentence),
  });
  const onTerminate = () => {
    input.close();
    keepHistory(file, typed);
    // As a shell tells of a program that was ended by 15.
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
      keepHistory(file, typed);
    },
  };
}
