import type { Clock } from '#core/clock.ts';
import { ERROR_POLICY } from '#core/error-class.ts';
import { answerNotes } from './chat-answer-notes.ts';
import { runCommand, type Done } from './chat-commands.ts';
import type { Connect } from './chat-connect.ts';
import type { Place } from './chat-file.ts';
import type { ChatInput, Heard } from './chat-input.ts';
import { readChatLine } from './chat-line.ts';
import { sendMessage } from './chat-message.ts';
import type { ChatScreen } from './chat-screen.ts';
import { withAnswer, type ChatState } from './chat-state.ts';
import { foreseen } from './foreseen.ts';
import { chatRenderer } from './messages/chat-sentences.ts';
import { failureLine } from './messages/failure.ts';
import type { Io } from './io.ts';
import { isEmptyHanded } from './quotation-line.ts';
import { escapeJsonControls } from './terminal-text.ts';

export interface LoopDeps extends Place {
  readonly io: Pick<Io, 'paint' | 'width' | 'signal' | 'stdout'>;
  readonly input: ChatInput;
  readonly screen: ChatScreen;
  readonly connect: (signal: AbortSignal) => Connect;
  readonly clock: Clock;
  readonly format: 'words' | 'json';
  /** Whether somebody watches: only they see where one answer ends and how to leave. */
  readonly watched: 'yes' | 'no';
}

/** One message or command after another, until somebody leaves. Gives the exit code: of the last message that failed. */
export async function chatLoop(
  begun: ChatState,
  first: string | undefined,
  deps: LoopDeps,
): Promise<{ readonly exit: number; readonly state: ChatState }> {
  const { input, screen, io } = deps;
  let state = begun;
  let exit = 0;
  /** What is to be done before anybody is asked. */
  let given: Heard | undefined = first === undefined ? undefined : { is: 'text', text: first };
  let interrupts = 0;

  while (!io.signal.aborted) {
    const heard: Heard = given ?? (await input.next());
    // The first message is one, whatever it begins with: a shell has no other way to say so.
    const line = heard.is !== 'text' || given ? undefined : readChatLine(heard.text);
    given = undefined;
    if (heard.is === 'end') {
      const { because: ending } = heard;
      if (ending === 'interrupted') exit = ERROR_POLICY.cancelled.exit;
      // The line that was begun is still open.
      if (deps.watched === 'yes') screen.say('');
      break;
    }
    if (heard.is === 'interrupt') {
      interrupts = heard.dropped === 'nothing' ? interrupts + 1 : 0;
      screen.say('');
      if (interrupts > 1) break;
      if (interrupts === 1) screen.note('Ctrl-C once more leaves, and so does Ctrl-D.');
      continue;
    }
    interrupts = 0;
    if (line?.is === 'nothing') continue;
    let message = line?.is === 'message' ? line.text : heard.text;
    if (line?.is === 'command') {
      const { name, rest } = line;
      const done = await command(name, rest);
      state = done.state ?? state;
      if (done.next === 'leave') break;
      if (done.next === undefined) continue;
      message = done.next.send;
    }
    await send(message);
  }
  screen.still();
  return { exit, state };

  /** Ctrl-C ends the work, and not the chat. */
  async function busy<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const cancel = new AbortController();
    const watch = input.whileBusy(() => cancel.abort());
    try {
      return await work(AbortSignal.any([cancel.signal, io.signal]));
    } finally {
      watch.stop();
      screen.still();
    }
  }

  async function command(name: string, rest: string): Promise<Done> {
    try {
      return await busy(async (signal) =>
        runCommand(name, rest, state, { ...deps, connect: deps.connect(signal) }),
      );
    } catch (thrown) {
      const error = foreseen(thrown);
      screen.fault(failureLine(error, chatRenderer));
      exit = error.policy.exit;
      return {};
    }
  }

  async function send(message: string): Promise<void> {
    const reply = await busy((signal) =>
      sendMessage(state, message, { ...deps, signal, connect: deps.connect(signal) }),
    );
    state = { ...withAnswer(state, reply.envelope), lastMessage: message };
    if (reply.is === 'failure') exit = reply.error.policy.exit;
    else if (isEmptyHanded(reply.envelope)) exit = ERROR_POLICY.not_configured.exit;
    if (deps.format === 'json')
      io.stdout.write(`${escapeJsonControls(JSON.stringify(reply.envelope))}\n`);
    else if (reply.is === 'answer') {
      for (const note of answerNotes(reply.envelope)) screen.note(note);
    } else if (reply.error.class === 'cancelled') {
      screen.note('Cancelled; nothing of it is kept. /retry asks again.');
    } else screen.fault(reply.words);
    if (deps.watched === 'yes') screen.say('');
  }
}
