import type { Effort } from '#core/chat.ts';
import type { JsonObject } from '#core/json.ts';
import { command, fix, type Fix } from '#core/messages/fixes.ts';

export const FLAVOURS = ['ollama', 'vllm', 'llamacpp', 'lmstudio', 'generic'] as const;
export type FlavourId = (typeof FLAVOURS)[number];

/** What is particular about a kind of server. */
export interface Flavour {
  readonly id: FlavourId;
  readonly title: string;
  /** Whether it does something about `tool_choice`. What comes of it is looked at anyway. */
  readonly toolChoice: 'sent' | 'ignored';
  /** Which formats it enforces; the others are said in words. */
  readonly formats: readonly ('json_object' | 'json_schema')[];
  /** Media types of pictures; they go inside the request always, because a server at home cannot fetch them. */
  readonly pictures: 'any' | readonly string[];
  /** Whether thoughts of tool turns go back, and as what. Strict servers refuse members they do not know. */
  readonly reasoning: 'reasoning_content' | 'drop';
  /** Efforts that it knows; none when it takes no such wish. */
  readonly efforts: readonly Effort[];
  /** Members that turn thinking off. */
  readonly thinkingOff: JsonObject | undefined;
  /** What it does with a prompt that is too long. */
  readonly tooLong: 'refused' | 'cut_silently';
  /** Whether it is known to understand `stream_options`. */
  readonly streamUsage: 'asked_for' | 'not';
  /** It may have to load the model first. */
  readonly firstTokenMs: number;
  /** What to do about a model that it does not have. */
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
    getModel: (model) => command(`ollama pull ${model}`, 'get it'),
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
    getModel: (model) => command(`lms get ${model}`, 'get it'),
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
