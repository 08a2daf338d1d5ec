import type { Effort } from '../../llm/chat.ts';
import type { JsonObject } from '../../json/json.ts';

/** How a vendor's API differs from OpenAI's chat completions. */
export interface Quirks {
  /** The field of the output limit. */
  readonly limitField: 'max_tokens' | 'max_completion_tokens';
  /** The header of the key; `bearer` is `Authorization: Bearer`. */
  readonly keyHeader: 'bearer' | 'api-key' | 'x-api-key';
  /** Whether `tool_choice` is sent; where it is not, the prompt asks for it. */
  readonly toolChoice: 'sent' | 'ignored';
  /** Formats that the vendor enforces; others are requested in the prompt. */
  readonly formats: readonly ('json_object' | 'json_schema')[];
  /** The field in which reasoning of tool turns is sent back, if at all. */
  readonly reasoning: 'reasoning_content' | 'drop';
  /** Values of `reasoning_effort`; empty if it has none, or if they are unknown. */
  readonly efforts: readonly Effort[];
  /** Fields that switch thinking off; absent if there are none, or if they are unknown. */
  readonly thinkingOff?: JsonObject;
  /** Whether `stream_options` asks for token counts; otherwise they are estimated. */
  readonly streamUsage: 'asked_for' | 'not';
  /** Most stop sequences of a request. */
  readonly maxStops: number;
}

/** A model that a preset names, as its vendor described it on a day. */
export interface PresetModel {
  readonly id: string;
  readonly contextTokens?: number;
  readonly maxOutputTokens?: number;
  readonly images?: boolean;
  /** Micro-dollars for a million tokens; absent if unknown. */
  readonly price?: { readonly input: number; readonly output: number; readonly cached?: number };
  readonly asOf: string;
  readonly source: string;
}

/** A provider that the user adds in one line. */
export interface Preset {
  readonly id: string;
  readonly title: string;
  /** The wire protocol of its chat. */
  readonly api: 'openai' | 'anthropic';
  /** Empty if every user has a different one. */
  readonly baseUrl: string;
  /** What the address looks like, where there is no default. */
  readonly example?: string;
  /** Variables that hold its key by convention. They are named to the user and never used unasked. */
  readonly keyEnv: readonly string[];
  readonly key: 'required' | 'optional';
  /** Where to get a key. */
  readonly keyFrom: string;
  /** Absent for a server whose kind is detected: Ollama, vLLM, llama.cpp, LM Studio. */
  readonly quirks?: Quirks;
  /** `none`: the vendor has no list, so the user names the models. */
  readonly listing: 'models' | 'none';
  /** Models for routing, best first; empty if unknown: then those of the listing. */
  readonly models: readonly PresetModel[];
  /** Whether our tests run against this API; `untried`: by its documentation only. */
  readonly state: 'tested' | 'untried';
  /** Where address, key and quirks are documented. */
  readonly source: string;
}

/** What most vendors have in common. */
export const COMMON_QUIRKS: Quirks = {
  limitField: 'max_tokens',
  keyHeader: 'bearer',
  toolChoice: 'sent',
  formats: ['json_object', 'json_schema'],
  reasoning: 'drop',
  efforts: [],
  streamUsage: 'asked_for',
  maxStops: 4,
};
