import { DaemonError } from '#client/daemon-client.ts';
import type { Envelope } from '#core/calls/envelope.schema.ts';
import { failureEnvelope } from '#core/calls/envelope.ts';
import type { CallError } from '#core/errors/call-error.ts';
import { sleep, type Clock } from '#core/time/clock.ts';
import { checkMessageSize } from '../ask/ask-args.ts';
import { readCallResult } from '../call-result.ts';
import { chatRenderer } from '../messages/chat-sentences.ts';
import { asExpectedError, formatFailureLine } from '../messages/failure.ts';
import { DEFAULT_WAIT } from '../number-options.ts';
import { threadsTool, type ChatConnect } from './connect.ts';
import type { ChatScreen } from './screen.ts';
import { chatArgs, type ChatState } from './state.ts';

interface SendMessageOptions {
  readonly screen: ChatScreen;
  readonly connect: ChatConnect;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** `json`: only errors are shown. */
  readonly format: 'text' | 'json';
  /** Whether a user watches the answer being streamed; piped output is written when complete. */
  readonly isInteractive: boolean;
}

type MessageResult =
  | {
      readonly is: 'answer';
      readonly envelope: Partial<Envelope>;
      readonly written: string;
    }
  | {
      readonly is: 'failure';
      readonly error: CallError;
      readonly text: string;
      readonly envelope: Partial<Envelope>;
    };

const TOOL = 'chat';

/**
 * Sends a message and streams the answer. If the daemon goes away meanwhile, waits for it and asks
 * once more.
 */
export async function sendMessage(
  state: ChatState,
  message: string,
  deps: SendMessageOptions,
): Promise<MessageResult> {
  const { screen, clock } = deps;
  const args = chatArgs(state, message);
  const sentAtMs = clock.now();
  try {
    checkMessageSize(args);
    const first = await callChatTool(args, state.display, deps);
    if (first.is !== 'lost') return first;
    screen.showError('The daemon went away in the middle of it; connecting again.');
    const stored = await retryUntilReachable(deps, () =>
      findStoredAnswer(deps.connect, state.thread, message, sentAtMs),
    );
    if (stored !== undefined) {
      const { text, ...by } = stored;
      if (deps.format === 'text') screen.createAnswerWriter(state.display).finish(text);
      return {
        is: 'answer',
        written: text,
        envelope: { status: 'success', tool: TOOL, content: text, ...by },
      };
    }
    screen.note('Connected again; nothing of it was kept, so it is asked once more.');
    const second = await callChatTool(args, state.display, deps);
    return second.is === 'lost' ? failure(second.error) : second;
  } catch (thrown) {
    return failure(asExpectedError(thrown));
  } finally {
    screen.stopSpinner();
  }
}

function failure(error: CallError): MessageResult {
  const envelope = failureEnvelope(error, { tool: TOOL, req_id: '' });
  return { is: 'failure', error, text: formatFailureLine(error, chatRenderer), envelope };
}

type AttemptResult = MessageResult | { readonly is: 'lost'; readonly error: CallError };

async function callChatTool(
  args: object,
  display: ChatState['display'],
  deps: SendMessageOptions,
): Promise<AttemptResult> {
  const { screen, connect, signal } = deps;
  const { isInteractive } = deps;
  const writer = screen.createAnswerWriter(display);
  let isSent = false;
  screen.startSpinner('asking');
  try {
    const result = await connect((client) => {
      isSent = true;
      return client.request(
        'tools/call',
        { name: TOOL, arguments: args },
        {
          signal,
          ...DEFAULT_WAIT,
          onProgress({ text, note }) {
            if (text !== undefined && isInteractive) writer.add(text);
            else if (!writer.hasBegun && note !== undefined) screen.startSpinner(note);
          },
          ...(isInteractive && { text: 'streamed' as const }),
        },
      );
    });
    const { envelope, error } = readCallResult(result);
    const chatEnvelope = envelope as Partial<Envelope>;
    if (error) {
      return {
        is: 'failure',
        error,
        text: formatFailureLine(error, chatRenderer),
        envelope: chatEnvelope,
      };
    }
    const written = answerText(result);
    if (deps.format === 'text') writer.finish(written);
    return { is: 'answer', envelope: chatEnvelope, written };
  } catch (thrown) {
    const error = asExpectedError(thrown);
    // An error that the daemon sent came over a working connection.
    const isLost = isSent && error.class === 'network' && !(error instanceof DaemonError);
    if (isLost) return { is: 'lost', error };
    throw error;
  } finally {
    writer.breakOff();
    screen.stopSpinner();
  }
}

/** The first content item is the answer; notices follow it. */
function answerText(result: unknown): string {
  const { content } = result as { content?: readonly { text?: unknown }[] };
  const first = Array.isArray(content) ? content[0] : undefined;
  return typeof first?.text === 'string' ? first.text : '';
}

/** How long to wait for a daemon that is not ours to start. */
const BACK_WITHIN_MS = 20_000;
const BETWEEN_TRIES_MS = 250;
const MAX_TURN_CHARS = 8_000_000;

interface RecoverContext {
  readonly screen: Pick<ChatScreen, 'startSpinner'>;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** Retries the work until the daemon can be reached. */
async function retryUntilReachable<T>(
  { screen, clock, signal }: RecoverContext,
  work: () => Promise<T>,
): Promise<T> {
  const end = clock.monotonic() + BACK_WITHIN_MS;
  for (;;) {
    screen.startSpinner('waiting for the daemon');
    try {
      return await work();
    } catch (thrown) {
      const error = asExpectedError(thrown);
      if (error.class !== 'network' || clock.monotonic() >= end) throw error;
    }
    await sleep(clock, BETWEEN_TRIES_MS, signal);
  }
}

interface StoredAnswer {
  readonly text: string;
  readonly provider?: string;
  readonly model?: string;
}

/**
 * The answer that the daemon stored before the connection broke. Asking again would be paid twice.
 */
async function findStoredAnswer(
  connect: ChatConnect,
  thread: { readonly id: string } | undefined,
  sent: string,
  sentAtMs: number,
): Promise<StoredAnswer | undefined> {
  const turns = await connect(async (client) => {
    if (thread) {
      const args = { id: thread.id, limit: 2, max_chars: MAX_TURN_CHARS };
      return (await threadsTool(client)('show', args)).turns;
    }
    // The id of a new conversation is unknown; only check that the daemon answers.
    await client.request('ping', {});
    return [];
  });
  const [question, answer] = turns;
  const isMatch =
    question?.role === 'user' &&
    question.text === sent &&
    Date.parse(question.at) >= sentAtMs &&
    answer?.role === 'assistant';
  if (!isMatch) return undefined;
  const { provider, model, text } = answer;
  return {
    text,
    ...(provider !== undefined && { provider }),
    ...(model !== undefined && { model }),
  };
}
