import type { AnswerPiece, Asked } from '#core/answer-piece.ts';
import type { Caller } from '#core/call.ts';
import type { CallAnswer, RunningCall } from '#core/calls.ts';
import type { GatewayChatAnswer } from '#core/gateway.ts';
import type { Exchange } from '../http/endpoint.ts';
import type { Ticket } from '../streamable/delay-line.ts';
import { createPulse, type Pulse } from '../streamable/unread.ts';
import { headersOf, headersOfStream } from './answer-headers.ts';
import type { ChatOrder, Dialect, StreamWriter } from './dialect.ts';
import { refuse } from './refuse.ts';

/** A chat that is being answered. */
export interface RunningChat {
  readonly exchange: Exchange;
  readonly dialect: Dialect;
  readonly order: ChatOrder;
  readonly caller: Caller;
  /** `held`: nothing is sent yet, so everything can still be told by the status of HTTP. */
  phase: 'held' | 'open' | 'over';
  call: RunningCall | undefined;
  writer: StreamWriter | undefined;
  /** Who is asked now. */
  last: Asked | undefined;
  /** Who failed first, and how. */
  failed: string | undefined;
  /** What came before the head was sent: who was asked, and what they thought. */
  thoughts: { readonly piece: AnswerPiece; readonly choice: number }[];
  /** What is sent when this turn of the loop is over. */
  unsent: string;
  ticket: Ticket<RunningChat> | undefined;
  pulse: Pulse;
}

export function createRunningChat(
  exchange: Exchange,
  dialect: Dialect,
  order: ChatOrder,
  caller: Caller,
): RunningChat {
  return {
    exchange,
    dialect,
    order,
    caller,
    phase: 'held',
    call: undefined,
    writer: undefined,
    last: undefined,
    failed: undefined,
    thoughts: [],
    unsent: '',
    ticket: undefined,
    pulse: createPulse(),
  };
}

const NOBODY: Asked = { provider: 'local', model: 'auto', attempt: 1 };

/** The head goes out, with the thoughts so far and whatever comes with it. */
export function openChat(chat: RunningChat, atMs: number, writer: StreamWriter): string {
  const { exchange, last, failed } = chat;
  chat.phase = 'open';
  chat.writer = writer;
  exchange.openStream([chat.dialect.idHeader, exchange.reqId, ...headersOfStream(last, failed)]);
  let text = writer.begin(exchange.reqId, atMs, last ?? NOBODY);
  for (const { piece, choice } of chat.thoughts) text += writer.piece(piece, choice);
  chat.thoughts = [];
  return text;
}

/** The rest of a stream, or all of an answer that is none. */
export function finishChat(chat: RunningChat, { envelope, error }: CallAnswer, atMs: number): void {
  const { exchange, dialect, order, writer, phase, unsent } = chat;
  const { reqId } = exchange;
  chat.phase = 'over';
  chat.unsent = '';
  if (error) {
    exchange.error = error;
    if (phase === 'held' || !writer) refuse(exchange, dialect, error, headersOf(envelope));
    else exchange.end(unsent + writer.fail({ reqId, error, envelope }));
    return;
  }
  const finished = { reqId, atMs, answer: envelope.content as GatewayChatAnswer, envelope };
  if (order.delivery === 'whole') {
    exchange.answer(200, 'application/json', order.whole(finished), [
      dialect.idHeader,
      reqId,
      ...headersOf(envelope),
    ]);
    return;
  }
  const opened = writer ?? order.stream();
  const begun = writer ? unsent : openChat(chat, atMs, opened);
  chat.phase = 'over';
  exchange.end(begun + opened.end(finished));
}
