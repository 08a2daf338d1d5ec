import type { Effort } from '#core/llm/chat.ts';
import type { JsonObject } from '#core/json/json.ts';
import { commandFix, fix, type Fix } from '#core/messages/fixes.ts';

export const FLAVOURS = ['ollama', 'vllm', 'llamacpp', 'lmstudio', 'generic'] as const;
export type FlavourId = (typeof FLAVOURS)[number];

/** The differences of one kind of server. */
export interface Flavour {
  readonly id: FlavourId;
  readonly title: string;
  /** Whether it supports `tool_choice`. The answer is checked anyway. */
  readonly toolChoice: 'sent' | 'ignored';
  /** Formats that it enforces; others are requested in the prompt. */
  readonly formats: readonly ('json_object' | 'json_schema')[];
  /**
   * Media types of pictures. They are always sent inline, because a local server cannot fetch them.
   */
  readonly pictures: 'any' | readonly string[];
  /**
   * The field in which reasoning of tool turns is sent back, if at all. Strict servers refuse
   * unknown fields.
   */
  readonly reasoning: 'reasoning_content' | 'drop';
  /** Supported reasoning efforts; empty when it has none. */
  readonly efforts: readonly Effort[];
  /** Fields that turn thinking off. */
  readonly thinkingOff: JsonObject | undefined;
  /** What happens to a prompt that is too long. */
  readonly tooLong: 'refused' | 'cut_silently';
  /** Whether it supports `stream_options`. */
  readonly streamUsage: 'asked_for' | 'not';
  /** Higher where the model may have to be loaded first. */
  readonly firstTokenMs: number;
  /** The field of the output limit; default: `max_tokens`. */
  readonly limitField?: 'max_tokens' | 'max_completion_tokens';
  /** The header of the key; default: `Authorization: Bearer`. */
  readonly keyHeader?: 'api-key' | 'x-api-key';
  /** Whether `reasoning_details` is sent back; default: no. */
  readonly details?: 'keep' | 'drop';
  /** Most stop sequences; default: 4, as OpenAI's. */
  readonly maxStops?: number;
  /** How to get a model that it does not have. */
  readonly getModel: (model: string) => Fix | string;
}

const BOTH = ['json_object', 'json_schema'] as const;
const LEVELS = ['low', 'medium', 'high'] as const;
const NO_THINKING_TEMPLATE = { chat_template_kwargs: { enable_thinking: false } };

export const FLAVOUR: Readonly<Record<FlavourId, Flavour>> = {
  ollama: {
    id: 'ollama',
    title: 'Ollama',
    toolChoice: 'ignored',
    formats: BOTH,
    pictures: ['image/jpeg', 'image/jpg', 'image/png', 'image/webp'],
    reasoning: 'drop',
    efforts: LEVELS,
    thinkingOff: { reasoning_effort: 'none' },
    tooLong: 'cut_silently',
    streamUsage: 'asked_for',
    firstTokenMs: 120_000,
    getModel: (model) => commandFix(`ollama pull ${model}`, 'get it'),
  },
  vllm: {
    id: 'vllm',
    title: 'vLLM',
    toolChoice: 'sent',
    formats: BOTH,
    pictures: 'any',
    reasoning: 'drop',
    efforts: LEVELS,
    thinkingOff: NO_THINKING_TEMPLATE,
    tooLong: 'refused',
    streamUsage: 'asked_for',
    firstTokenMs: 0,
    getModel: () => 'Ask for the name that the server was started with (--served-model-name).',
  },
  llamacpp: {
    id: 'llamacpp',
    title: 'llama.cpp',
    toolChoice: 'sent',
    formats: BOTH,
    pictures: 'any',
    reasoning: 'reasoning_content',
    efforts: [],
    thinkingOff: NO_THINKING_TEMPLATE,
    tooLong: 'refused',
    streamUsage: 'asked_for',
    firstTokenMs: 0,
    getModel: () => 'Start the server with that model.',
  },
  lmstudio: {
    id: 'lmstudio',
    title: 'LM Studio',
    toolChoice: 'sent',
    formats: ['json_schema'],
    pictures: 'any',
    reasoning: 'drop',
    efforts: [],
    thinkingOff: undefined,
    tooLong: 'refused',
    streamUsage: 'asked_for',
    firstTokenMs: 180_000,
    getModel: (model) => commandFix(`lms get ${model}`, 'get it'),
  },
  generic: {
    id: 'generic',
    title: 'The custom server',
    toolChoice: 'sent',
    formats: BOTH,
    pictures: 'any',
    reasoning: 'drop',
    efforts: [],
    thinkingOff: undefined,
    tooLong: 'refused',
    streamUsage: 'not',
    firstTokenMs: 0,
    getModel: () => fix('list_models'),
  },
};
