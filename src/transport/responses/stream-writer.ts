import type { ToolCallPiece } from '#core/llm/ask.ts';
import type { GatewayChoice } from '#core/llm/gateway.ts';
import type { FailedChat, FinishedChat, StreamWriter } from '../gateway/dialect.ts';
import { attemptSummaries } from '../gateway/exai-extension.ts';
import type { JsonFields } from '../gateway/fields.ts';
import { responsesErrorBody } from './errors.ts';
import { outputItemId, responseId, type KnownItemType } from './ids.ts';
import {
  callItem,
  callType,
  customInput,
  messageItem,
  reasoningItem,
  reasoningOf,
  reasoningPart,
  textPart,
  writeCitations,
  type OutputItem,
} from './output-items.ts';
import type { ResponsesRequest } from './request.ts';
import { openResponse } from './response-object.ts';
import type { ToolBinding } from './tools.ts';

/** A stream writer that tells what it has written, so that the response can be stored. */
export interface ResponsesStreamWriter extends StreamWriter {
  /** The object of the response at its start. */
  readonly open: JsonFields;
  /** Writes the rest of the items, once; the events are part of `end`. */
  finishItems(finished: FinishedChat): readonly OutputItem[];
}

interface TextItem {
  readonly is: 'reasoning' | 'message';
  readonly id: string;
  text: string;
}

interface CallItem {
  readonly is: 'call';
  readonly id: string;
  readonly index: number;
  readonly binding: ToolBinding;
  readonly callId: string;
  text: string;
}

/** The item that is being written; items are written one after the other. */
type OpenItem = TextItem | CallItem;

/** An item that was begun, with the events that begin it. */
interface Begun<Item extends OpenItem> {
  readonly item: Item;
  readonly events: string;
}

const KEEPALIVE = ': keepalive\n\n';

/**
 * Writes the events of the Responses API. Reasoning is streamed until the text begins, text until a
 * call begins, and of several calls the first; what comes out of this order is written at the end.
 */
export function createResponsesStreamWriter(
  request: ResponsesRequest,
  completed: (finished: FinishedChat) => JsonFields,
): ResponsesStreamWriter {
  const { reasoning: style, tools } = request;
  const output: OutputItem[] = [];
  let sequence = 0;
  let open: JsonFields = {};
  let id = '';
  let item: OpenItem | undefined;
  let emittedChars = 0;
  let emittedReasoning = '';
  let lastEvents: string | undefined;

  function event(type: string, members: JsonFields): string {
    const data = JSON.stringify({ type, sequence_number: sequence++, ...members });
    return `event: ${type}\ndata: ${data}\n\n`;
  }

  const at = () => ({ output_index: output.length });
  const newId = (type: KnownItemType) => outputItemId(type, id, output.length);

  function begin(reqId: string, atMs: number, { model }: { readonly model: string }): string {
    id = responseId(reqId);
    open = openResponse({ id, createdAtMs: atMs, model }, request);
    return (
      event('response.created', { response: open }) +
      event('response.in_progress', { response: open })
    );
  }

  function closeItem(choice?: GatewayChoice): string {
    const current = item;
    item = undefined;
    if (!current) return '';
    switch (current.is) {
      case 'reasoning':
        return closeReasoning(current.id, current.text, choice);
      case 'message':
        return closeMessage(current.id, current.text, choice);
      case 'call':
        return closeCall(current);
    }
  }

  function done(finishedItem: OutputItem): string {
    const written = event('response.output_item.done', { ...at(), item: finishedItem });
    output.push(finishedItem);
    return written;
  }

  const reasoningNames =
    style.as === 'summary'
      ? {
          added: 'response.reasoning_summary_part.added',
          delta: 'response.reasoning_summary_text.delta',
          textDone: 'response.reasoning_summary_text.done',
          done: 'response.reasoning_summary_part.done',
          index: { summary_index: 0 },
        }
      : {
          added: 'response.content_part.added',
          delta: 'response.reasoning_text.delta',
          textDone: 'response.reasoning_text.done',
          done: 'response.content_part.done',
          index: { content_index: 0 },
        };

  function addReasoning(text: string): string {
    if (text === '') return '';
    let events = '';
    if (item?.is !== 'reasoning') {
      const itemId = newId('reasoning');
      item = { is: 'reasoning', id: itemId, text: '' };
      const part = reasoningPart(style, '');
      events += event('response.output_item.added', {
        ...at(),
        item: reasoningItem(itemId, style, undefined),
      });
      events += event(reasoningNames.added, {
        item_id: itemId,
        ...at(),
        ...reasoningNames.index,
        part,
      });
    }
    item.text += text;
    emittedReasoning += text;
    const place = { item_id: item.id, ...at(), ...reasoningNames.index };
    return events + event(reasoningNames.delta, { ...place, delta: text });
  }

  function closeReasoning(itemId: string, text: string, choice: GatewayChoice | undefined): string {
    const place = { item_id: itemId, ...at(), ...reasoningNames.index };
    const reasoning = choice ? reasoningOf(choice, text) : { text, details: [] };
    return (
      event(reasoningNames.textDone, { ...place, text }) +
      event(reasoningNames.done, { ...place, part: reasoningPart(style, text) }) +
      done(reasoningItem(itemId, style, reasoning))
    );
  }

  function addText(text: string): string {
    if (text === '') return '';
    let events = '';
    let current = item;
    if (current?.is !== 'message') {
      events += closeItem();
      const begun = beginMessage();
      current = begun.item;
      events += begun.events;
    }
    current.text += text;
    emittedChars += text.length;
    return (
      events +
      event('response.output_text.delta', {
        item_id: current.id,
        ...at(),
        content_index: 0,
        delta: text,
        logprobs: [],
      })
    );
  }

  function beginMessage(): Begun<TextItem> {
    const itemId = newId('message');
    const begun: TextItem = { is: 'message', id: itemId, text: '' };
    item = begun;
    const events =
      event('response.output_item.added', {
        ...at(),
        item: messageItem(itemId, 'in_progress', []),
      }) +
      event('response.content_part.added', {
        item_id: itemId,
        ...at(),
        content_index: 0,
        part: textPart(''),
      });
    return { item: begun, events };
  }

  function closeMessage(itemId: string, text: string, choice: GatewayChoice | undefined): string {
    const citations = choice?.citations ?? [];
    const isCut = choice?.finish === 'length' && choice.toolCalls.length === 0;
    const place = { item_id: itemId, ...at(), content_index: 0 };
    const part = textPart(text, citations);
    let events = '';
    for (const [index, annotation] of writeCitations(text, citations).entries()) {
      events += event('response.output_text.annotation.added', {
        ...place,
        annotation_index: index,
        annotation,
      });
    }
    return (
      events +
      event('response.output_text.done', { ...place, text, logprobs: [] }) +
      event('response.content_part.done', { ...place, part }) +
      done(messageItem(itemId, isCut ? 'incomplete' : 'completed', [part]))
    );
  }

  /** Only the first call is streamed, and only one whose arguments the client gets as they are. */
  function addCallPiece({ index, id: callId, name, arguments: text }: ToolCallPiece): string {
    let events = '';
    if (item?.is !== 'call') {
      const hasCall = output.some(({ type }) => type === 'function_call');
      if (hasCall || name === undefined || callId === undefined) return '';
      const binding = tools.binding(name);
      if (binding.kind !== 'function') return '';
      events += closeItem();
      events += beginCall(index, binding, callId).events;
    }
    const current = item;
    if (current?.is !== 'call' || current.index !== index) return events;
    return events + addArguments(current, text);
  }

  function beginCall(index: number, binding: ToolBinding, callId: string): Begun<CallItem> {
    const itemId = newId('function_call');
    const begun: CallItem = { is: 'call', id: itemId, index, binding, callId, text: '' };
    item = begun;
    const added = callItem(itemId, 'in_progress', binding, { id: callId, arguments: '' });
    return { item: begun, events: event('response.output_item.added', { ...at(), item: added }) };
  }

  function addArguments(call: CallItem, text: string): string {
    if (text === '') return '';
    call.text += text;
    const place = { item_id: call.id, ...at() };
    return event('response.function_call_arguments.delta', { ...place, delta: text });
  }

  function closeCall(call: CallItem): string {
    const { id: itemId, binding, callId, text } = call;
    return (
      event('response.function_call_arguments.done', {
        item_id: itemId,
        ...at(),
        name: binding.name,
        arguments: text,
      }) + done(callItem(itemId, 'completed', binding, { id: callId, arguments: text }))
    );
  }

  /** A call that was not streamed, as a whole. */
  function wholeCall(call: GatewayChoice['toolCalls'][number]): string {
    const binding = tools.binding(call.name);
    if (binding.kind === 'function') {
      const begun = beginCall(-1, binding, call.id);
      return begun.events + addArguments(begun.item, call.arguments) + closeItem();
    }
    const itemId = newId(callType(binding));
    const place = { item_id: itemId, ...at() };
    const added = callItem(itemId, 'in_progress', binding, {
      id: call.id,
      arguments: '{"input":""}',
    });
    let events = event('response.output_item.added', { ...at(), item: added });
    if (binding.kind === 'custom') {
      const input = customInput(call.arguments);
      events += event('response.custom_tool_call_input.delta', { ...place, delta: input });
      events += event('response.custom_tool_call_input.done', { ...place, input });
    }
    return events + done(callItem(itemId, 'completed', binding, call));
  }

  function rest(choice: GatewayChoice): string {
    let events = '';
    const [firstCall, ...otherCalls] = choice.toolCalls;
    const current = item;
    let isFirstDone = output.some(({ type }) => type === 'function_call');
    if (current?.is === 'call') {
      isFirstDone = true;
      const whole = firstCall?.arguments ?? '';
      if (whole.startsWith(current.text)) {
        events += addArguments(current, whole.slice(current.text.length));
      }
      events += closeItem();
    } else if (emittedReasoning === '' && output.length === 0 && !current) {
      events += addReasoning(choice.reasoning);
    }
    const left = choice.text.slice(emittedChars);
    if (left !== '') events += addText(left);
    const isEmpty = output.length === 0 && item?.is !== 'message' && choice.toolCalls.length === 0;
    if (isEmpty || (item?.is === 'reasoning' && choice.toolCalls.length === 0)) {
      events += closeItem(choice) + beginMessage().events;
    }
    events += closeItem(choice);
    if (firstCall && !isFirstDone) events += wholeCall(firstCall);
    for (const call of otherCalls) events += wholeCall(call);
    return events + lateDetails(choice);
  }

  /** The vendor's form of the reasoning, which comes after the item of its text is closed. */
  function lateDetails(choice: GatewayChoice): string {
    const late = reasoningOf(choice, '');
    const isWritten = output.at(-1)?.type === 'reasoning';
    if (late.details.length === 0 || isWritten || emittedReasoning === '') return '';
    const details = reasoningItem(newId('reasoning'), style, late);
    return event('response.output_item.added', { ...at(), item: details }) + done(details);
  }

  function finishItems(finished: FinishedChat): readonly OutputItem[] {
    if (lastEvents === undefined) {
      const [choice] = finished.answer.choices;
      lastEvents = choice ? rest(choice) : closeItem();
    }
    return output;
  }

  return {
    keepalive: KEEPALIVE,
    get open() {
      return open;
    },
    finishItems,
    begin,
    piece(piece, choice) {
      if (choice !== 0) return '';
      switch (piece.type) {
        case 'text':
          return item?.is === 'call' ? '' : addText(piece.text);
        case 'reasoning':
          return item === undefined && output.length === 0
            ? addReasoning(piece.text)
            : item?.is === 'reasoning'
              ? addReasoning(piece.text)
              : '';
        case 'tool_call':
          return addCallPiece(piece);
        case 'asked':
          return '';
      }
    },
    end(finished) {
      finishItems(finished);
      const response = completed(finished);
      return (lastEvents ?? '') + event(`response.${String(response['status'])}`, { response });
    },
    fail({ reqId, error, envelope }: FailedChat) {
      const { error: told } = responsesErrorBody(error, { req_id: reqId });
      const { code, message, param } = told;
      const exai = { req_id: reqId, class: error.class, attempts: attemptSummaries(envelope) };
      const failed = { ...open, status: 'failed', output, error: { code, message }, exai };
      return (
        event('error', { code, message, param, error: told }) +
        event('response.failed', { response: failed })
      );
    },
  };
}
