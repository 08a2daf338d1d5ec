import type { ToolCallPiece } from '#core/ask.ts';
import type { GatewayChoice } from '#core/gateway.ts';
import { notice, type Notice } from '#core/messages/notices.ts';
import { answerFacts, attemptFacts } from '../gateway/answer-facts.ts';
import type { Finished, StreamWriter } from '../gateway/dialect.ts';
import type { AnswerStyle } from './answer-style.ts';
import { createBlockRow, type CallBlock } from './block-row.ts';
import { searchBlocks } from './content-blocks.ts';
import { errorBody } from './error-body.ts';
import { callId, messageId } from './message-id.ts';
import { stopReason } from './stop-reason.ts';
import { event, MESSAGE_STOP, PING } from './stream-events.ts';
import { writeUsage } from './write-usage.ts';

/** One answer as Anthropic's events. There is one answer only, so pieces of others say nothing. */
export function createStreamWriter(style: AnswerStyle): StreamWriter {
  const row = createBlockRow();
  const calls = new Map<number, CallBlock>();
  let reqId = '';
  let toldChars = 0;
  let thoughts: 'none' | 'some' = 'none';

  function tellText(text: string): string {
    if (text === '') return '';
    toldChars += text.length;
    return row.words('text', text);
  }

  function tellThought(text: string): string {
    if (text === '' || style.thoughts === 'kept') return '';
    thoughts = 'some';
    return row.words('thinking', text);
  }

  function tellCall({ index, id = '', name = '', arguments: text }: ToolCallPiece): string {
    let call = calls.get(index);
    if (!call) {
      const ownId = callId(reqId, calls.size);
      call = row.beginCall(id === '' ? ownId : id, style.fullName(name));
      calls.set(index, call);
    }
    return row.arguments(call, text);
  }

  /** What belongs to the answer and was never told piece by piece. */
  function tellRest({ reasoning, text, toolCalls }: GatewayChoice): string {
    const thought = thoughts === 'none' && row.begun === 0 ? tellThought(reasoning) : '';
    let events = thought + tellText(text.slice(toldChars));
    const told = calls.size;
    for (const [at, call] of toolCalls.slice(told).entries()) {
      // The indexes of pieces are the vendor's; these are nobody's.
      events += tellCall({ type: 'tool_call', index: -1 - at, ...call });
    }
    return events;
  }

  function tellSearch({ citations }: GatewayChoice): string {
    const blocks = searchBlocks(citations, style, reqId);
    return blocks.map((block) => row.whole(block)).join('');
  }

  return {
    alive: PING,
    begin(id, _atMs, { model, promptTokens = 0 }) {
      reqId = id;
      const message = {
        id: messageId(id),
        type: 'message',
        role: 'assistant',
        model,
        content: [],
        stop_reason: null,
        stop_sequence: null,
        stop_details: null,
        usage: { ...writeUsage(undefined, 0), input_tokens: promptTokens },
      };
      return event('message_start', { message });
    },
    piece(piece, choice) {
      if (choice !== 0) return '';
      switch (piece.type) {
        case 'text':
          return tellText(piece.text);
        case 'reasoning':
          return tellThought(piece.text);
        case 'tool_call':
          return tellCall(piece);
        case 'asked':
          // What another thinks is a thought of its own.
          return row.close('thinking');
      }
    },
    end(finished: Finished) {
      const { answer, envelope } = finished;
      const [choice] = answer.choices;
      const rest = choice ? tellRest(choice) : '';
      const settled = rest + row.settle();
      const search = choice ? tellSearch(choice) : '';
      const last = event('message_delta', {
        delta: {
          stop_reason: choice ? stopReason(choice) : 'end_turn',
          stop_sequence: null,
          stop_details: null,
        },
        usage: writeUsage(envelope.usage, search === '' ? 0 : 1),
        exai: answerFacts(finished, leftOut(calls.values())),
      });
      return settled + search + last + MESSAGE_STOP;
    },
    fail: ({ reqId: id, error, envelope }) =>
      event('error', errorBody(error, id, attemptFacts(envelope))),
  };
}

function leftOut(calls: Iterable<CallBlock>): readonly Notice[] {
  const notices: Notice[] = [];
  for (const { name, text } of calls) {
    if (!text.hasMore) continue;
    notices.push(notice('tool_arguments_repeated', { tool: name }));
  }
  return notices;
}
