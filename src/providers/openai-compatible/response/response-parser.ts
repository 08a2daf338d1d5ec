import { CallError } from '#core/errors/call-error.ts';
import type { ChatEvent, Citation, TokenUsage, ToolCall } from '#core/llm/chat.ts';
import type { JsonObject } from '#core/json/json.ts';
import {
  createPossibleCallBuffer,
  parseTextToolCalls,
  type PossibleCallBuffer,
} from './text-tool-calls.ts';
import { createDetailsRedactor, NO_KEYS, type KeyRedactor } from '../redact-keys.ts';
import { createThinkTagParser } from './think-tags.ts';
import { asList, asObject, asText, type Unknown } from './json.ts';
import { readUsage } from './usage.ts';
import { createToolCallAssembler, type ToolCallAssembler } from './tool-call-assembler.ts';

export interface ResponseParserOptions {
  /** Names of the tools in the request. */
  readonly tools: readonly string[];
  /** Functions that the provider runs itself; their calls are `builtinCalls`. */
  readonly ownTools?: readonly string[] | undefined;
  /** Markers that the vendor's models leave in their texts. */
  readonly marks: readonly string[];
  readonly citations?: ((chunk: Unknown) => readonly Citation[]) | undefined;
  /** Redacts provider keys that the server sends back. */
  readonly keys?: KeyRedactor;
}

/** Limit of text, reasoning and arguments together; several times what any model writes. */
const MAX_ANSWER_CHARS = 4 * 1024 * 1024;

/** The answer of the model as received so far. */
export interface AssistantTurn {
  readonly text: string;
  readonly reasoning: string;
  readonly toolCalls: readonly ToolCall[];
  /** Calls of the vendor's built-in tools, which have to be echoed to the vendor. */
  readonly builtinCalls: readonly ToolCall[];
  /** The vendor's finish reason; nothing before the end. */
  readonly finish: string | undefined;
  /** The stop text that ended the answer, if the vendor names it (vLLM's `stop_reason`). */
  readonly stopText?: string | undefined;
  readonly usage: TokenUsage | undefined;
}

/** Turns the parsed chunks of a response, streamed or whole, into chat events. */
export interface ResponseParser {
  take(chunk: Unknown, events: ChatEvent[]): void;
  /** Emits what was held back until the end. */
  end(events: ChatEvent[]): void;
  turn(): AssistantTurn;
  /** Whether text or a tool call was emitted, which cannot be taken back. */
  hasContent(): boolean;
  /** Whether a choice arrived, empty or not. */
  hasChoice(): boolean;
  /**
   * Received pieces of text, reasoning and calls, emitted or held back; grows while the model
   * works.
   */
  tokens(): number;
}

export function createResponseParser({
  tools,
  ownTools = [],
  marks,
  citations,
  keys = NO_KEYS,
}: ResponseParserOptions): ResponseParser {
  let id = '';
  let model: string | undefined;
  let finish: string | undefined;
  let stopText: string | undefined;
  let topUsage: TokenUsage | undefined;
  let choiceUsage: TokenUsage | undefined;
  let hasContent = false;
  let hasChoice = false;
  let tokens = 0;
  let chars = 0;
  const text: string[] = [];
  const reasoning: string[] = [];
  const thinkTags = createThinkTagParser(marks);
  const textRedactor = keys.stream();
  const reasoningRedactor = keys.stream();
  const detailsRedactor = createDetailsRedactor(keys);
  /** Created on demand: most answers have neither. */
  let assembler: ToolCallAssembler | undefined;
  let cited: Set<string> | undefined;
  // Text that may still turn out to be a tool call; only when the request has tools.
  let callBuffer: PossibleCallBuffer | undefined =
    tools.length > 0 ? createPossibleCallBuffer() : undefined;

  /** Counts a received piece, emitted or held back. */
  function count(piece: string): void {
    tokens += 1;
    chars += piece.length;
    if (chars <= MAX_ANSWER_CHARS) return;
    const message = 'The answer is longer than any model writes.';
    throw new CallError('bad_response', message, { retry: 'never' });
  }

  function addText(piece: string, events: ChatEvent[]): void {
    if (piece === '') return;
    if (!callBuffer) return emitText(piece, events);
    const buffered = callBuffer.take(piece);
    if (buffered === undefined) return;
    callBuffer = undefined;
    emitText(buffered, events);
  }

  function emitText(piece: string, events: ChatEvent[]): void {
    text.push(piece);
    hasContent = true;
    emit('text', piece, events);
  }

  function addReasoning(piece: string, events: ChatEvent[]): void {
    if (piece === '') return;
    reasoning.push(piece);
    emit('reasoning', piece, events);
  }

  function addRawReasoning(piece: string, events: ChatEvent[]): void {
    if (piece === '') return;
    count(piece);
    addSplit(textRedactor.flush(), events);
    addReasoning(reasoningRedactor.take(piece), events);
  }

  function addContent(value: unknown, events: ChatEvent[]): void {
    for (const piece of contentTexts(value)) {
      count(piece);
      addReasoning(reasoningRedactor.flush(), events);
      addSplit(textRedactor.take(piece), events);
    }
  }

  /** Emits text that was held back because it might begin a key, before another kind of event. */
  function flush(events: ChatEvent[]): void {
    addReasoning(reasoningRedactor.flush(), events);
    addSplit(textRedactor.flush(), events);
  }

  function addSplit(piece: string, events: ChatEvent[]): void {
    if (piece === '') return;
    const split = thinkTags.take(piece);
    addReasoning(split.reasoning, events);
    addText(split.text, events);
  }

  function addDetails(details: readonly JsonObject[], events: ChatEvent[]): void {
    if (details.length > 0) events.push({ type: 'reasoning_details', details });
  }

  function addCall(value: unknown, events: ChatEvent[]): void {
    assembler ??= createToolCallAssembler(() => id, keys, ownTools);
    flush(events);
    const event = assembler.take(value, count);
    if (!event) return;
    // Text before a call is text.
    const buffered = callBuffer?.all() ?? '';
    callBuffer = undefined;
    if (buffered !== '') emitText(buffered, events);
    hasContent = true;
    events.push(event);
  }

  function takeChoice(choice: Unknown, events: ChatEvent[]): void {
    hasChoice = true;
    const delta = asObject(choice['delta']);
    const message = delta ?? asObject(choice['message']);
    const isWhole = delta === undefined;
    if (message) {
      const reasoningText = message['reasoning_content'] ?? message['reasoning'];
      if (typeof reasoningText === 'string') addRawReasoning(reasoningText, events);
      const details = asList(message['reasoning_details']).filter((each) => asObject(each));
      addDetails(detailsRedactor.take(details as JsonObject[]), events);
      if (message['content'] !== undefined && message['content'] !== null)
        addContent(message['content'], events);
      for (const [place, piece] of asList(message['tool_calls']).entries()) {
        // In a whole response each entry is a separate call, whatever its id and index.
        addCall(isWhole ? { ...asObject(piece), index: place } : piece, events);
      }
      const old = asObject(message['function_call']);
      if (old) addCall({ index: 0, function: old }, events);
    }
    finish = asText(choice['finish_reason']) ?? finish;
    stopText = asText(choice['stop_reason']) ?? stopText;
    choiceUsage = readUsage(choice['usage']) ?? choiceUsage;
  }

  return {
    take(chunk, events) {
      if (id === '') id = asText(chunk['id']) ?? '';
      if (model === undefined) {
        model = asText(chunk['model']);
        if (model !== undefined) events.push({ type: 'start', model });
      }
      const choices = chunk['choices'];
      if (Array.isArray(choices)) {
        const first = asObject(choices[0]);
        // Of several choices only the first is used.
        if (first && !first['index']) takeChoice(first, events);
      }
      if (chunk['usage']) topUsage = readUsage(chunk['usage']) ?? topUsage;
      for (const citation of citations?.(chunk) ?? []) {
        cited ??= new Set();
        if (cited.has(citation.url)) continue;
        cited.add(citation.url);
        events.push({ type: 'citation', citation });
      }
    },
    end(events) {
      addDetails(detailsRedactor.end(), events);
      flush(events);
      const { text: last, reasoning: reasoningText } = thinkTags.end();
      addReasoning(reasoningText, events);
      addText(last, events);
      const buffered = callBuffer?.all() ?? '';
      callBuffer = undefined;
      const calls = buffered === '' ? undefined : parseTextToolCalls(buffered, tools);
      if (!calls && buffered !== '') emitText(buffered, events);
      for (const [index, call] of (calls ?? []).entries()) addCall({ index, ...call }, events);
      events.push(...(assembler?.end() ?? []));
    },
    turn: () => ({
      text: text.join('') + (callBuffer?.all() ?? ''),
      reasoning: reasoning.join(''),
      toolCalls: assembler?.calls() ?? [],
      builtinCalls: assembler?.builtin() ?? [],
      finish,
      stopText,
      // Usage beside the choices wins: some vendors send both, and that one is complete.
      usage: topUsage ?? choiceUsage,
    }),
    hasContent: () => hasContent,
    hasChoice: () => hasChoice,
    tokens: () => tokens,
  };
}

/** Appends to the last event of the same type, because every event costs time in each layer. */
function emit(type: 'text' | 'reasoning', piece: string, events: ChatEvent[]): void {
  const end = events.length - 1;
  const last = events[end];
  if (last?.type === type) events[end] = { type, text: last.text + piece };
  else events.push({ type, text: piece });
}

/** The texts of a content field: a string, nothing, or parts. */
function contentTexts(value: unknown): readonly string[] {
  if (typeof value === 'string') return value === '' ? [] : [value];
  return asList(value).flatMap((part) => asText(asObject(part)?.['text']) ?? []);
}
