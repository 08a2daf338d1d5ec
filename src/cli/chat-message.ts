import { DaemonError } from '#client/rpc-client.ts';
import type { CallError } from '#core/call-error.ts';
import type { Clock } from '#core/clock.ts';
import type { Envelope } from '#core/envelope.schema.ts';
import { failureEnvelope } from '#core/envelope.ts';
import { createAnswerWriter } from './answer-writer.ts';
import { checkSize } from './ask-args.ts';
import { readCallResult } from './call-result.ts';
import type { Connect } from './chat-connect.ts';
import { keptAnswer, whenBack } from './chat-recover.ts';
import type { ChatScreen } from './chat-screen.ts';
import { chatArgs, type ChatState } from './chat-state.ts';
import { foreseen } from './foreseen.ts';
import { chatRenderer } from './messages/chat-sentences.ts';
import { failureLine } from './messages/failure.ts';
import { harmless } from './terminal-text.ts';

export interface MessageDeps {
  readonly screen: ChatScreen;
  readonly connect: Connect;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** `json`: nothing is shown but what went wrong on the way. */
  readonly format: 'words' | 'json';
  /** Whether somebody watches an answer as it comes; what is piped on comes whole, or not at all. */
  readonly watched: 'yes' | 'no';
}

export type Reply =
  | {
      readonly is: 'answer';
      readonly envelope: Partial<Envelope>;
      readonly written: string;
    }
  | {
      readonly is: 'failure';
      readonly error: CallError;
      readonly words: string;
      readonly envelope: Partial<Envelope>;
    };

const TOOL = 'chat';
/** The daemon ends the call long before. */
const PATIENCE_MS = 600_000;

/** Sends a message and shows the answer as it comes. A daemon that goes away meanwhile is waited for and asked once more. */
export async function sendMessage(
  state: ChatState,
  message: string,
  deps: MessageDeps,
): Promise<Reply> {
  const { screen, clock } = deps;
  const args = chatArgs(state, message);
  const sentAtMs = clock.now();
  try {
    checkSize(args);
    const first = await ask(args, deps);
    if (first.is !== 'lost') return first;
    screen.fault('The daemon went away in the middle of it; connecting again.');
    const kept = await whenBack(deps, () =>
      keptAnswer(deps.connect, state.thread, message, sentAtMs),
    );
    if (kept !== undefined) {
      const { text, ...by } = kept;
      if (deps.format === 'words') screen.answer.write(`${harmless(text)}\n`);
      return {
        is: 'answer',
        written: text,
        envelope: { status: 'success', tool: TOOL, content: text, ...by },
      };
    }
    screen.note('Connected again; nothing of it was kept, so it is asked once more.');
    const second = await ask(args, deps);
    return second.is === 'lost' ? failure(second.error) : second;
  } catch (thrown) {
    return failure(foreseen(thrown));
  } finally {
    screen.still();
  }
}

function failure(error: CallError): Reply {
  const envelope = failureEnvelope(error, { tool: TOOL, req_id: '' });
  return { is: 'failure', error, words: failureLine(error, chatRenderer), envelope };
}

type Asked = Reply | { readonly is: 'lost'; readonly error: CallError };

async function ask(args: object, deps: MessageDeps): Promise<Asked> {
  const { screen, connect, signal } = deps;
  const isWatched = deps.watched === 'yes';
  const writer = createAnswerWriter(screen.answer);
  let isUnderWay = false;
  screen.wait('asking');
  try {
    const result = await connect((client) => {
      isUnderWay = true;
      return client.request(
        'tools/call',
        { name: TOOL, arguments: args },
        {
          signal,
          timeoutMs: PATIENCE_MS,
          onProgress({ text, note }) {
            if (text !== undefined && isWatched) writer.add(text);
            else if (!writer.hasBegun && note !== undefined) screen.wait(note);
          },
          ...(isWatched && { text: 'streamed' as const }),
        },
      );
    });
    const { envelope, error } = readCallResult(result);
    const told = envelope as Partial<Envelope>;
    if (error) {
      return { is: 'failure', error, words: failureLine(error, chatRenderer), envelope: told };
    }
    const written = writtenIn(result);
    if (deps.format === 'words') writer.finish(written);
    return { is: 'answer', envelope: told, written };
  } catch (thrown) {
    const error = foreseen(thrown);
    // What the daemon itself says came over a connection that is there.
    const isLost = isUnderWay && error.class === 'network' && !(error instanceof DaemonError);
    if (isLost) return { is: 'lost', error };
    throw error;
  } finally {
    writer.breakOff();
    screen.still();
  }
}

/** The answer stands first; what else came is beside it. */
function writtenIn(result: unknown): string {
  const { content } = result as { content?: readonly { text?: unknown }[] };
  const first = Array.isArray(content) ? content[0] : undefined;
  return typeof first?.text === 'string' ? first.text : '';
}
