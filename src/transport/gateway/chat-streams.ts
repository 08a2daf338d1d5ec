import type { Caller, Progress } from '#core/calls/call.ts';
import type { CallResult, Calls, RunningCall } from '#core/calls/calls.ts';
import { CallError } from '#core/errors/call-error.ts';
import { GATEWAY_OPERATIONS, type GatewayChatAnswer } from '#core/llm/gateway.ts';
import type { AttemptStart, StreamPart } from '#core/llm/stream-part.ts';
import type { Clock } from '#core/time/clock.ts';
import { createTransientMap } from '#core/transient-map.ts';
import type { HttpContext } from '../http/http-context.ts';
import { createTimeoutQueue, type QueuedTimeout } from '../streamable/timeout-queue.ts';
import { createStallDetector, isStalled, type StallDetector } from '../streamable/backpressure.ts';
import {
  dialectHeaders,
  type GatewayDialect,
  type ParsedChat,
  type StreamWriter,
} from './dialect.ts';
import { CLIENT_DISCONNECTED, KEY_REVOKED, sendError } from './error-response.ts';
import { answerHeaders, streamHeaders } from './exai-extension.ts';
import type { CallerContext } from './request.ts';

interface ChatStreamsOptions {
  readonly calls: Pick<Calls, 'start'>;
  readonly clock: Clock;
  /** Whether the caller's credential is still valid; it may be revoked during a stream. */
  readonly isCredentialValid: (caller: Caller) => boolean;
  /**
   * How long the head of a stream is held back while there is no text: until then a failure can
   * still be an HTTP status.
   */
  readonly headHoldMs: number;
  /** Interval of keepalive comments. */
  readonly keepaliveMs: number;
}

interface ChatContext extends CallerContext {
  /** Hex digest of the request body. */
  readonly sha256: string;
}

/** The running chats of the gateway, streamed or not. */
export interface ChatStreams {
  readonly size: number;
  serve(
    context: HttpContext,
    dialect: GatewayDialect,
    parsed: ParsedChat,
    chatContext: ChatContext,
  ): void;
  /** Resolves when no chat is running. */
  idle(): Promise<void>;
  /** Cancels all running chats with this error. */
  end(error: CallError): void;
}

/**
 * Longer than any answer in text. A client that leaves more unread is disconnected, so that a few
 * cannot fill the memory.
 */
export const MAX_STREAM_BUFFER_BYTES = 4 * 1024 * 1024;

const STALLED = new CallError('cancelled', 'The client does not read its answer.');

export function createChatStreams(options: ChatStreamsOptions): ChatStreams {
  const { calls, clock, isCredentialValid } = options;
  const running = createTransientMap<string, ChatStream>(1024);
  let whenIdle: (() => void)[] = [];

  const headHolds = createTimeoutQueue<ChatStream>(clock, options.headHoldMs, (chat) => {
    if (chat.phase !== 'pending') return;
    open(chat);
  });
  const keepalives = createTimeoutQueue<ChatStream>(clock, options.keepaliveMs, (chat) => {
    const { context, writer, caller, stall } = chat;
    if (chat.phase !== 'open') return;
    if (!isCredentialValid(caller)) return chat.call?.cancel(KEY_REVOKED);
    if (isStalled(context, stall)) return drop(chat, STALLED);
    context.write(writer?.keepalive ?? '');
    chat.timeout = keepalives.add(chat);
  });

  /** Replaces the result by an error if the credential was revoked meanwhile. */
  function checkCredential(answer: CallResult, caller: Caller): CallResult {
    return isCredentialValid(caller) ? answer : { ...answer, error: KEY_REVOKED };
  }

  function open(chat: ChatStream): void {
    headHolds.remove(chat.timeout);
    if (!isCredentialValid(chat.caller)) return chat.call?.cancel(KEY_REVOKED);
    const writer = chat.parsed.createWriter();
    const text = openStream(chat, clock.now(), writer);
    // A dialect without a first event sends a keepalive.
    chat.context.write(text || writer.keepalive);
    chat.timeout = keepalives.add(chat);
  }

  function onProgress(chat: ChatStream, { piece, choice = 0 }: Progress): void {
    if (!piece || chat.phase === 'over') return;
    if (piece.type === 'asked') {
      if (piece.after !== undefined && chat.last) {
        chat.failed ??= `${chat.last.provider}/${chat.last.model} ${piece.after}`;
      }
      chat.last = piece;
      // The reasoning of the attempt that failed is discarded, as it was not sent yet.
      if (chat.phase === 'pending') discardParts(chat, choice);
    }
    if (chat.phase === 'open' && chat.writer) return send(chat, chat.writer.piece(piece, choice));
    chat.pendingParts.push({ piece, choice });
    if (piece.type === 'text' || piece.type === 'tool_call') open(chat);
  }

  function discardParts(chat: ChatStream, choice: number): void {
    if (chat.pendingParts.length === 0) return;
    chat.pendingParts = chat.pendingParts.filter((each) => each.choice !== choice);
  }

  /** Collects the text of one event loop turn and sends it in one write. */
  function send(chat: ChatStream, text: string): void {
    if (text === '') return;
    if (chat.unsent === '') process.nextTick(flush, chat);
    chat.unsent += text;
  }

  function flush(chat: ChatStream): void {
    const { unsent, context } = chat;
    if (unsent === '' || chat.phase !== 'open') return;
    chat.unsent = '';
    if (context.bufferedBytes > MAX_STREAM_BUFFER_BYTES) drop(chat, STALLED);
    else context.write(unsent);
  }

  /** Cancels a chat whose client does not read, and disconnects it. */
  function drop(chat: ChatStream, error: CallError): void {
    chat.context.error = error;
    remove(chat);
    chat.call?.cancel(error);
    chat.context.destroy();
  }

  function remove(chat: ChatStream): void {
    chat.phase = 'over';
    headHolds.remove(chat.timeout);
    keepalives.remove(chat.timeout);
    if (!running.delete(chat.context.reqId) || running.size > 0) return;
    for (const resolve of whenIdle) resolve();
    whenIdle = [];
  }

  return {
    get size() {
      return running.size;
    },
    serve(context, dialect, parsed, { caller, session, sha256 }) {
      const chat = createChatStream(context, dialect, parsed, caller);
      running.add(context.reqId, chat);
      context.onClose = () => {
        if (chat.phase !== 'over') chat.call?.cancel(CLIENT_DISCONNECTED);
        remove(chat);
      };
      const isStream = parsed.delivery === 'stream';
      chat.call = calls.start({
        kind: 'operation',
        tool: GATEWAY_OPERATIONS.chat,
        args: parsed.chat,
        argsSha256: sha256,
        caller,
        reqId: context.reqId,
        transport: dialect.name,
        session,
        fairnessKey: caller.principal,
        ...(isStream && { onProgress: (step) => onProgress(chat, step) }),
      });
      if (isStream) chat.timeout = headHolds.add(chat);
      void chat.call.answer.then((answer) => {
        if (chat.phase === 'over') return remove(chat);
        const saving = finishStream(chat, checkCredential(answer, caller), clock.now());
        if (saving) void saving.then(() => remove(chat));
        else remove(chat);
      });
    },
    idle() {
      if (running.size === 0) return Promise.resolve();
      return new Promise((resolve) => whenIdle.push(resolve));
    },
    end(error) {
      for (const chat of running.values()) chat.call?.cancel(error);
      headHolds.clear();
      keepalives.clear();
    },
  };
}

/** A running chat. */
interface ChatStream {
  readonly context: HttpContext;
  readonly dialect: GatewayDialect;
  readonly parsed: ParsedChat;
  readonly caller: Caller;
  /** `pending`: nothing is sent yet, so that a failure can still be an HTTP status. */
  phase: 'pending' | 'open' | 'over';
  call: RunningCall | undefined;
  writer: StreamWriter | undefined;
  /** The current attempt. */
  last: AttemptStart | undefined;
  /** The first failed attempt: its model and outcome. */
  failed: string | undefined;
  /** Parts that came before the head was sent: attempt starts and reasoning. */
  pendingParts: { readonly piece: StreamPart; readonly choice: number }[];
  /** Text that is sent at the end of this event loop turn. */
  unsent: string;
  timeout: QueuedTimeout<ChatStream> | undefined;
  stall: StallDetector;
}

function createChatStream(
  context: HttpContext,
  dialect: GatewayDialect,
  parsed: ParsedChat,
  caller: Caller,
): ChatStream {
  return {
    context,
    dialect,
    parsed,
    caller,
    phase: 'pending',
    call: undefined,
    writer: undefined,
    last: undefined,
    failed: undefined,
    pendingParts: [],
    unsent: '',
    timeout: undefined,
    stall: createStallDetector(),
  };
}

const NO_ATTEMPT: AttemptStart = { provider: 'extractive', model: 'auto', attempt: 1 };

/** Sends the head of a stream; returns the events of the parts so far. */
function openStream(chat: ChatStream, atMs: number, writer: StreamWriter): string {
  const { context, last, failed } = chat;
  chat.phase = 'open';
  chat.writer = writer;
  context.openStream([...dialectHeaders(chat.dialect, context), ...streamHeaders(last, failed)]);
  let text = writer.begin(context.reqId, atMs, last ?? NO_ATTEMPT);
  for (const { piece, choice } of chat.pendingParts) text += writer.piece(piece, choice);
  chat.pendingParts = [];
  return text;
}

/**
 * Sends the end of a stream, or a whole response, or an error. Returns a promise if the answer is
 * stored first.
 */
function finishStream(
  chat: ChatStream,
  { envelope, error }: CallResult,
  atMs: number,
): Promise<void> | undefined {
  const { context, dialect, parsed, writer, phase, unsent } = chat;
  const { reqId } = context;
  chat.phase = 'over';
  chat.unsent = '';
  if (error) {
    context.error = error;
    if (phase === 'pending' || !writer) {
      const answer = paidAnswer(envelope, error);
      const paid = answer && parsed.renderResponse({ reqId, atMs, answer, envelope });
      sendError(context, dialect, error, answerHeaders(envelope), [], paid);
    } else context.end(unsent + writer.fail({ reqId, error, envelope }));
    return undefined;
  }
  const finished = { reqId, atMs, answer: envelope.content as GatewayChatAnswer, envelope };
  let send: () => void;
  if (parsed.delivery === 'whole') {
    send = () =>
      context.answer(200, 'application/json', parsed.renderResponse(finished), [
        ...dialectHeaders(dialect, context),
        ...answerHeaders(envelope),
      ]);
  } else {
    const opened = writer ?? parsed.createWriter();
    const start = writer ? unsent : openStream(chat, atMs, opened);
    chat.phase = 'over';
    send = () => context.end(start + opened.end(finished));
  }
  const saving = parsed.save?.(finished);
  if (saving) return saving.then(send);
  send();
  return undefined;
}

/**
 * The answer of a failed chat whose model was paid: only the record of the call failed. A caller whose key was revoked meanwhile
 * has another error than the envelope, and gets nothing.
 */
function paidAnswer(
  { content, error_class: errorClass }: CallResult['envelope'],
  error: CallError,
): GatewayChatAnswer | undefined {
  if (errorClass !== error.class) return undefined;
  const answer = content as Partial<GatewayChatAnswer> | string | null | undefined;
  const isWhole = typeof answer === 'object' && Array.isArray(answer?.choices);
  return isWhole ? (answer as GatewayChatAnswer) : undefined;
}
