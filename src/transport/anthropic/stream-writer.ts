import type { ToolCallPiece } from '#core/llm/ask.ts';
import type { GatewayChoice } from '#core/llm/gateway.ts';
import { notice, type Notice } from '#core/messages/notices.ts';
import { exaiExtension, attemptSummaries } from '../gateway/exai-extension.ts';
import { answerUsage } from '../gateway/answer-usage.ts';
import type { FinishedChat, StreamWriter } from '../gateway/dialect.ts';
import {
  callId,
  messageId,
  searchBlocks,
  stopReason,
  writeAnthropicUsage,
  writeMessageUsage,
  type ResponseStyle,
} from './message-response.ts';
import {
  createContentBlockStream,
  sseEvent,
  MESSAGE_STOP,
  PING,
  type ToolUseBlock,
} from './content-block-stream.ts';
import { anthropicErrorBody } from './errors.ts';

const NO_USAGE = { input: 0, output: 0, cached: 0, reasoning: 0 };

/**
 * Writes an answer as the events of Anthropic's API, which has one choice; parts of others are
 * ignored.
 */
export function createAnthropicStreamWriter(style: ResponseStyle): StreamWriter {
  const blocks = createContentBlockStream();
  const calls = new Map<number, ToolUseBlock>();
  let reqId = '';
  let emittedChars = 0;
  let hasThinking = false;

  function emitText(text: string): string {
    if (text === '') return '';
    emittedChars += text.length;
    return blocks.addText('text', text);
  }

  function emitThinking(text: string): string {
    if (text === '' || !style.showThinking) return '';
    hasThinking = true;
    return blocks.addText('thinking', text);
  }

  function emitCall(piece: ToolCallPiece): string {
    const { index, id = '', name = '', arguments: text, isUnreadable } = piece;
    let call = calls.get(index);
    if (!call) {
      const fallbackId = callId(reqId, calls.size);
      const as = isUnreadable ? 'unreadable' : 'object';
      call = blocks.beginCall(id === '' ? fallbackId : id, style.fullName(name), as);
      calls.set(index, call);
    }
    return blocks.arguments(call, text);
  }

  /** The parts of the answer that were not streamed. */
  function emitRest({ reasoning, text, toolCalls }: GatewayChoice): string {
    const thinking = !hasThinking && blocks.begun === 0 ? emitThinking(reasoning) : '';
    let events = thinking + emitText(text.slice(emittedChars));
    for (const [at, call] of toolCalls.slice(calls.size).entries()) {
      // Negative, as the indexes of streamed calls are the vendor's.
      events += emitCall({ type: 'tool_call', index: -1 - at, ...call });
    }
    return events;
  }

  function emitSearch({ citations }: GatewayChoice): string {
    const found = searchBlocks(citations, style, reqId);
    return found.map((block) => blocks.whole(block)).join('');
  }

  return {
    keepalive: PING,
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
        container: null,
        diagnostics: null,
        usage: writeMessageUsage({ ...NO_USAGE, input: promptTokens }, 0),
      };
      return sseEvent('message_start', { message });
    },
    piece(piece, choice) {
      if (choice !== 0) return '';
      switch (piece.type) {
        case 'text':
          return emitText(piece.text);
        case 'reasoning':
          return emitThinking(piece.text);
        case 'tool_call':
          return emitCall(piece);
        case 'asked':
          // The reasoning of another model is a separate block.
          return blocks.close('thinking');
      }
    },
    end(finished: FinishedChat) {
      const { answer } = finished;
      const [choice] = answer.choices;
      const rest = choice ? emitRest(choice) : '';
      const settled = rest + blocks.settle();
      const search = choice ? emitSearch(choice) : '';
      const last = sseEvent('message_delta', {
        delta: {
          stop_reason: choice ? stopReason(choice) : 'end_turn',
          stop_sequence: choice?.stopText ?? null,
          stop_details: null,
        },
        usage: writeAnthropicUsage(answerUsage(answer), search === '' ? 0 : 1),
        exai: exaiExtension(finished, [...style.notices, ...droppedArguments(calls.values())]),
      });
      return settled + search + last + MESSAGE_STOP;
    },
    fail: ({ reqId: id, error, envelope }) =>
      sseEvent('error', anthropicErrorBody(error, id, attemptSummaries(envelope))),
  };
}

function droppedArguments(calls: Iterable<ToolUseBlock>): readonly Notice[] {
  const notices: Notice[] = [];
  for (const { name, text } of calls) {
    if (!text.hasMore) continue;
    notices.push(notice('tool_arguments_repeated', { tool: name }));
  }
  return notices;
}
