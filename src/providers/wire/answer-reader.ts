import { CallError } from '#core/call-error.ts';
import type { ChatEvent, Citation, TokenUsage, ToolCall } from '#core/chat.ts';
import type { JsonObject } from '#core/json.ts';
import { createHeldText, type HeldText } from './held-text.ts';
import { createHiddenDetails } from './hidden-details.ts';
import { NO_KEYS, type KeyFilter } from './hide-keys.ts';
import { createInlineThoughts } from './inline-thoughts.ts';
import { asList, asObject, asText, type Unknown } from './json-read.ts';
import { readUsage } from './read-usage.ts';
import { readTextCalls } from './text-calls.ts';
import { createToolCallAssembler, type ToolCallAssembler } from './tool-calls.ts';

export interface ReaderOptions {
  /** Names of the tools that the model was given. */
  readonly tools: readonly string[];
  /** Marks that the vendor's models leave in their texts. */
  readonly marks: readonly string[];
  readonly citations?: ((chunk: Unknown) => readonly Citation[]) | undefined;
  /** Hides keys of ours that the server sends back. */
  readonly keys?: KeyFilter;
}

/** Of text, thoughts and arguments together: several times what any model writes at once, and cheap enough to be joined and counted. */
const MAX_ANSWER_CHARS = 4 * 1024 * 1024;

/** An answer as far as it has come. */
export interface Turn {
  readonly text: string;
  readonly reasoning: string;
  readonly toolCalls: readonly ToolCall[];
  /** Calls of the vendor's own tools, for the vendor to be told about again. */
  readonly builtinCalls: readonly ToolCall[];
  /** The vendor's word for the end; nothing while there is none. */
  readonly finish: string | undefined;
  readonly usage: TokenUsage | undefined;
}

/** Takes parsed chunks, of a stream or one whole answer, and gives events. */
export interface AnswerReader {
  take(chunk: Unknown, into: ChatEvent[]): void;
  /** What was held back until the end. */
  end(into: ChatEvent[]): void;
  turn(): Turn;
  /** Whether something was told that cannot be taken back: text or a tool call. */
  hasContent(): boolean;
  /** Pieces of text, thought and calls so far, told or held back: it grows as long as the model works. */
  tokens(): number;
}

export function createAnswerReader({
  tools,
  marks,
  citations,
  keys = NO_KEYS,
}: ReaderOptions): AnswerReader {
  let id = '';
  let model: string | undefined;
  let finish: string | undefined;
  let topUsage: TokenUsage | undefined;
  let choiceUsage: TokenUsage | undefined;
  let hasContent = false;
  let tokens = 0;
  let chars = 0;
  const text: string[] = [];
  const reasoning: string[] = [];
  const thoughts = createInlineThoughts(marks);
  const hiddenText = keys.stream();
  const hiddenReasoning = keys.stream();
  const hiddenDetails = createHiddenDetails(keys);
  /** Made when there is something for them: most answers have neither. */
  let assembler: ToolCallAssembler | undefined;
  let cited: Set<string> | undefined;
  // Held while it may still turn out to be a tool call; never when there are no tools to call.
  let held: HeldText | undefined = tools.length > 0 ? createHeldText() : undefined;

  /** Something came, be it told or held back. */
  function count(piece: string): void {
    tokens += 1;
    chars += piece.length;
    if (chars <= MAX_ANSWER_CHARS) return;
    const message = 'The answer is longer than any model writes.';
    throw new CallError('bad_response', message, { retry: 'never' });
  }

  function addText(piece: string, into: ChatEvent[]): void {
    if (piece === '') return;
    if (!held) return tellText(piece, into);
    const words = held.take(piece);
    if (words === undefined) return;
    held = undefined;
    tellText(words, into);
  }

  function tellText(piece: string, into: ChatEvent[]): void {
    text.push(piece);
    hasContent = true;
    tell('text', piece, into);
  }

  function addReasoning(piece: string, into: ChatEvent[]): void {
    if (piece === '') return;
    reasoning.push(piece);
    tell('reasoning', piece, into);
  }

  function addThought(piece: string, into: ChatEvent[]): void {
    if (piece === '') return;
    count(piece);
    addSorted(hiddenText.flush(), into);
    addReasoning(hiddenReasoning.take(piece), into);
  }

  function addContent(value: unknown, into: ChatEvent[]): void {
    for (const piece of contentTexts(value)) {
      count(piece);
      addReasoning(hiddenReasoning.flush(), into);
      addSorted(hiddenText.take(piece), into);
    }
  }

  /** What may begin a key waits for the piece after it, but not for something else. */
  function flush(into: ChatEvent[]): void {
    addReasoning(hiddenReasoning.flush(), into);
    addSorted(hiddenText.flush(), into);
  }

  function addSorted(piece: string, into: ChatEvent[]): void {
    if (piece === '') return;
    const sorted = thoughts.take(piece);
    addReasoning(sorted.reasoning, into);
    addText(sorted.text, into);
  }

  function addDetails(details: readonly JsonObject[], into: ChatEvent[]): void {
    if (details.length > 0) into.push({ type: 'reasoning_details', details });
  }

  function addCall(value: unknown, into: ChatEvent[]): void {
    assembler ??= createToolCallAssembler(() => id, keys);
    flush(into);
    const event = assembler.take(value, count);
    if (!event) return;
    // Words before a call are words.
    const words = held?.all() ?? '';
    held = undefined;
    if (words !== '') tellText(words, into);
    hasContent = true;
    into.push(event);
  }

  function takeChoice(choice: Unknown, into: ChatEvent[]): void {
    const delta = asObject(choice['delta']);
    const message = delta ?? asObject(choice['message']);
    const isWhole = delta === undefined;
    if (message) {
      const thought = message['reasoning_content'] ?? message['reasoning'];
      if (typeof thought === 'string') addThought(thought, into);
      const details = asList(message['reasoning_details']).filter((each) => asObject(each));
      addDetails(hiddenDetails.take(details as JsonObject[]), into);
      if (message['content'] !== undefined && message['content'] !== null)
        addContent(message['content'], into);
      for (const [place, piece] of asList(message['tool_calls']).entries()) {
        // In a whole answer each entry is a call of its own, whatever its id and index say.
        addCall(isWhole ? { ...asObject(piece), index: place } : piece, into);
      }
      const old = asObject(message['function_call']);
      if (old) addCall({ index: 0, function: old }, into);
    }
    finish = asText(choice['finish_reason']) ?? finish;
    choiceUsage = readUsage(choice['usage']) ?? choiceUsage;
  }

  return {
    take(chunk, into) {
      if (id === '') id = asText(chunk['id']) ?? '';
      if (model === undefined) {
        model = asText(chunk['model']);
        if (model !== undefined) into.push({ type: 'start', model });
      }
      const choices = chunk['choices'];
      if (Array.isArray(choices)) {
        const first = asObject(choices[0]);
        // Who asked for one answer gets the first of several.
        if (first && !first['index']) takeChoice(first, into);
      }
      if (chunk['usage']) topUsage = readUsage(chunk['usage']) ?? topUsage;
      for (const citation of citations?.(chunk) ?? []) {
        cited ??= new Set();
        if (cited.has(citation.url)) continue;
        cited.add(citation.url);
        into.push({ type: 'citation', citation });
      }
    },
    end(into) {
      addDetails(hiddenDetails.end(), into);
      flush(into);
      const { text: last, reasoning: thought } = thoughts.end();
      addReasoning(thought, into);
      addText(last, into);
      const words = held?.all() ?? '';
      held = undefined;
      const calls = words === '' ? undefined : readTextCalls(words, tools);
      if (!calls && words !== '') tellText(words, into);
      for (const [index, call] of (calls ?? []).entries()) addCall({ index, ...call }, into);
      into.push(...(assembler?.end() ?? []));
    },
    turn: () => ({
      text: text.join('') + (held?.all() ?? ''),
      reasoning: reasoning.join(''),
      toolCalls: assembler?.calls() ?? [],
      builtinCalls: assembler?.builtin() ?? [],
      finish,
      // Beside the choices beats inside them: some vendors send both, the second one last and whole.
      usage: topUsage ?? choiceUsage,
    }),
    hasContent: () => hasContent,
    tokens: () => tokens,
  };
}

/** What came together is told together: every event costs each of those who pass it on. */
function tell(type: 'text' | 'reasoning', piece: string, into: ChatEvent[]): void {
  const end = into.length - 1;
  const last = into[end];
  if (last?.type === type) into[end] = { type, text: last.text + piece };
  else into.push({ type, text: piece });
}

/** A text, nothing, or parts of which some are texts. */
function contentTexts(value: unknown): readonly string[] {
  if (typeof value === 'string') return value === '' ? [] : [value];
  return asList(value).flatMap((part) => asText(asObject(part)?.['text']) ?? []);
}
