import { ERROR_POLICY } from '#core/errors/error-class.ts';
import type { Clock } from '#core/time/clock.ts';
import { formatChatNotes, hasNothingQuoted } from '../ask/answer-footer.ts';
import { escapeJsonControls } from '../format/escape-controls.ts';
import type { Io } from '../io.ts';
import { chatRenderer } from '../messages/chat-sentences.ts';
import { asExpectedError, formatFailureLine } from '../messages/failure.ts';
import type { ShellContext } from './attach-file.ts';
import { runSlashCommand, type SlashCommandResult } from './commands.ts';
import type { ChatConnect } from './connect.ts';
import { parseChatLine, type ChatInput, type InputEvent } from './input.ts';
import type { ChatScreen } from './screen.ts';
import { sendMessage } from './send-message.ts';
import { withAnswer, type ChatState } from './state.ts';

export interface ChatLoopOptions extends ShellContext {
  readonly io: Pick<Io, 'paint' | 'width' | 'signal' | 'stdout'>;
  readonly input: ChatInput;
  readonly screen: ChatScreen;
  readonly connect: (signal: AbortSignal) => ChatConnect;
  readonly clock: Clock;
  readonly format: 'text' | 'json';
  /** Whether a user watches: then answers are separated, and the way to leave is shown. */
  readonly isInteractive: boolean;
}

/**
 * Handles messages and slash commands until the user leaves. The exit code is that of the last
 * failed message.
 */
export async function runChatLoop(
  initial: ChatState,
  first: string | undefined,
  deps: ChatLoopOptions,
): Promise<{ readonly exit: number; readonly state: ChatState }> {
  const { input, screen, io } = deps;
  let state = initial;
  let exit = 0;
  /** The input before the first read. */
  let pending: InputEvent | undefined =
    first === undefined ? undefined : { is: 'text', text: first };
  let interrupts = 0;

  while (!io.signal.aborted) {
    const event: InputEvent = pending ?? (await input.next());
    // The first message comes from the shell and is never a command.
    const line = event.is !== 'text' || pending ? undefined : parseChatLine(event.text);
    pending = undefined;
    if (event.is === 'end') {
      const { cause } = event;
      if (cause === 'interrupted') exit = ERROR_POLICY.cancelled.exit;
      // Ends the line that was being edited.
      if (deps.isInteractive) screen.print('');
      break;
    }
    if (event.is === 'interrupt') {
      interrupts = event.dropped === 'nothing' ? interrupts + 1 : 0;
      screen.print('');
      if (interrupts > 1) break;
      if (interrupts === 1) screen.note('Press Ctrl-C again or Ctrl-D to exit.');
      continue;
    }
    interrupts = 0;
    if (line?.is === 'nothing') continue;
    let message = line?.is === 'message' ? line.text : event.text;
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
  screen.stopSpinner();
  return { exit, state };

  /** Ctrl-C cancels the work, not the chat. */
  async function busy<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const cancel = new AbortController();
    const watch = input.whileBusy(() => cancel.abort());
    try {
      return await work(AbortSignal.any([cancel.signal, io.signal]));
    } finally {
      watch.stop();
      screen.stopSpinner();
    }
  }

  async function command(name: string, rest: string): Promise<SlashCommandResult> {
    try {
      return await busy(async (signal) =>
        runSlashCommand(name, rest, state, { ...deps, connect: deps.connect(signal) }),
      );
    } catch (thrown) {
      const error = asExpectedError(thrown);
      screen.showError(formatFailureLine(error, chatRenderer));
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
    else if (hasNothingQuoted(reply.envelope)) exit = ERROR_POLICY.not_configured.exit;
    if (deps.format === 'json')
      io.stdout.write(`${escapeJsonControls(JSON.stringify(reply.envelope))}\n`);
    else if (reply.is === 'answer') {
      for (const note of formatChatNotes(reply.envelope)) screen.note(note);
    } else if (reply.error.class === 'cancelled') {
      screen.note('Cancelled, nothing saved. /retry to send it again.');
    } else screen.showError(reply.text);
    if (deps.isInteractive) screen.print('');
  }
}
