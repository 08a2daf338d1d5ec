import { createBriefMap } from '#core/brief-map.ts';
import { CallError } from '#core/call-error.ts';
import type { Caller, Progress } from '#core/call.ts';
import type { CallAnswer, Calls } from '#core/calls.ts';
import type { Clock } from '#core/clock.ts';
import { GATEWAY_OPERATIONS } from '#core/gateway.ts';
import type { Exchange } from '../http/endpoint.ts';
import { createDelayLine } from '../streamable/delay-line.ts';
import { isStalled } from '../streamable/unread.ts';
import type { ChatOrder, Dialect } from './dialect.ts';
import { createRunningChat, finishChat, openChat, type RunningChat } from './running-chat.ts';

export interface ChatsOptions {
  readonly calls: Pick<Calls, 'start'>;
  readonly clock: Clock;
  /** Whether who came in may still be there. */
  readonly isGood: (caller: Caller) => boolean;
  /** How long the head of a stream waits for the first word. */
  readonly headHoldMs: number;
  /** Between two signs of life. */
  readonly keepaliveMs: number;
}

/** Everything about a request that the call is told. */
export interface ChatAbout {
  readonly caller: Caller;
  readonly session: string;
  readonly sha256: string;
}

/** The chats that are being answered. */
export interface Chats {
  readonly size: number;
  serve(exchange: Exchange, dialect: Dialect, order: ChatOrder, about: ChatAbout): void;
  /** Resolves when all of them are over. */
  idle(): Promise<void>;
  /** Ends all of them with these words. */
  end(error: CallError): void;
}

/** No answer in words is so long. A client that lets this much pile up is cut, or a few of them would fill the memory. */
export const MAX_UNREAD = 4 * 1024 * 1024;

const GONE = new CallError('cancelled', 'The client hung up.');
const STALLED = new CallError('cancelled', 'The client does not read its answer.');
const REVOKED = new CallError('auth', 'The key was taken away before this was answered.');

export function createChats(options: ChatsOptions): Chats {
  const { calls, clock, isGood } = options;
  const running = createBriefMap<string, RunningChat>(1024);
  let whenIdle: (() => void)[] = [];

  const held = createDelayLine<RunningChat>(clock, options.headHoldMs, (chat) => {
    if (chat.phase !== 'held') return;
    open(chat);
  });
  const alive = createDelayLine<RunningChat>(clock, options.keepaliveMs, (chat) => {
    const { exchange, writer, caller, pulse } = chat;
    if (chat.phase !== 'open') return;
    if (!isGood(caller)) return chat.call?.cancel(REVOKED);
    if (isStalled(exchange, pulse)) return drop(chat, STALLED);
    exchange.write(writer?.alive ?? '');
    chat.ticket = alive.add(chat);
  });

  /** Who has lost the right to be there meanwhile gets no answer. */
  function stillAllowed(answer: CallAnswer, caller: Caller): CallAnswer {
    return isGood(caller) ? answer : { ...answer, error: REVOKED };
  }

  function open(chat: RunningChat): void {
    held.remove(chat.ticket);
    if (!isGood(chat.caller)) return chat.call?.cancel(REVOKED);
    const writer = chat.order.stream();
    const text = openChat(chat, clock.now(), writer);
    // What has no first event of its own says at least that somebody is there.
    chat.exchange.write(text || writer.alive);
    chat.ticket = alive.add(chat);
  }

  function onProgress(chat: RunningChat, { piece, choice = 0 }: Progress): void {
    if (!piece || chat.phase === 'over') return;
    if (piece.type === 'asked') {
      if (piece.after !== undefined && chat.last) {
        chat.failed ??= `${chat.last.provider}/${chat.last.model} ${piece.after}`;
      }
      chat.last = piece;
      // Who failed while thinking has thought in vain.
      if (chat.phase === 'held') forget(chat, choice);
    }
    if (chat.phase === 'open' && chat.writer) return send(chat, chat.writer.piece(piece, choice));
    chat.thoughts.push({ piece, choice });
    if (piece.type === 'text' || piece.type === 'tool_call') open(chat);
  }

  function forget(chat: RunningChat, choice: number): void {
    if (chat.thoughts.length === 0) return;
    chat.thoughts = chat.thoughts.filter((each) => each.choice !== choice);
  }

  /** What comes in one turn of the loop leaves in one piece. */
  function send(chat: RunningChat, text: string): void {
    if (text === '') return;
    if (chat.unsent === '') process.nextTick(flush, chat);
    chat.unsent += text;
  }

  function flush(chat: RunningChat): void {
    const { unsent, exchange } = chat;
    if (unsent === '' || chat.phase !== 'open') return;
    chat.unsent = '';
    if (exchange.unread > MAX_UNREAD) drop(chat, STALLED);
    else exchange.write(unsent);
  }

  /** Nobody reads it. */
  function drop(chat: RunningChat, error: CallError): void {
    chat.exchange.error = error;
    leave(chat);
    chat.call?.cancel(error);
    chat.exchange.cut();
  }

  function leave(chat: RunningChat): void {
    chat.phase = 'over';
    held.remove(chat.ticket);
    alive.remove(chat.ticket);
    if (!running.delete(chat.exchange.reqId) || running.size > 0) return;
    for (const tell of whenIdle) tell();
    whenIdle = [];
  }

  return {
    get size() {
      return running.size;
    },
    serve(exchange, dialect, order, { caller, session, sha256 }) {
      const chat = createRunningChat(exchange, dialect, order, caller);
      running.add(exchange.reqId, chat);
      exchange.onClose = () => {
        if (chat.phase !== 'over') chat.call?.cancel(GONE);
        leave(chat);
      };
      const isStream = order.delivery === 'stream';
      chat.call = calls.start({
        kind: 'operation',
        tool: GATEWAY_OPERATIONS.chat,
        args: order.chat,
        argsSha256: sha256,
        caller,
        reqId: exchange.reqId,
        door: dialect.door,
        session,
        turn: caller.principal,
        ...(isStream && { onProgress: (step) => onProgress(chat, step) }),
      });
      if (isStream) chat.ticket = held.add(chat);
      void chat.call.answer.then((answer) => {
        if (chat.phase !== 'over') finishChat(chat, stillAllowed(answer, caller), clock.now());
        leave(chat);
      });
    },
    idle() {
      if (running.size === 0) return Promise.resolve();
      return new Promise((resolve) => whenIdle.push(resolve));
    },
    end(error) {
      for (const chat of running.values()) chat.call?.cancel(error);
      held.clear();
      alive.clear();
    },
  };
}
