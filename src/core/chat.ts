import type { JsonObject } from './json.ts';
import type { Notice } from './messages/notices.ts';

/** Where the bytes of a picture, video or document are. `base64` is without any prefix. */
export type MediaSource =
  | { readonly url: string }
  | { readonly base64: string; readonly mediaType: string }
  /** An id of the provider that is asked, from its own `upload`. */
  | { readonly fileId: string };

export type ChatPart =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image' | 'video' | 'file'; readonly source: MediaSource };

export interface ToolCall {
  readonly id: string;
  readonly name: string;
  /** As the model wrote them, which may be no JSON at all: `readArguments` tells. */
  readonly arguments: string;
}

export type ChatMessage =
  | { readonly role: 'system'; readonly content: string }
  | { readonly role: 'user'; readonly content: string | readonly ChatPart[] }
  | {
      readonly role: 'assistant';
      readonly content: string;
      /** What the model thought before; some vendors want it back with its tool calls, unchanged. */
      readonly reasoning?: string;
      /** OpenRouter's typed form of the same, opaque to us. */
      readonly reasoningDetails?: readonly JsonObject[];
      readonly toolCalls?: readonly ToolCall[];
    }
  | {
      readonly role: 'tool';
      readonly toolCallId: string;
      readonly name?: string;
      readonly content: string;
    };

export interface ChatTool {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of its arguments, an object at its root. */
  readonly parameters: JsonObject;
}

export type ToolChoice = 'auto' | 'none' | 'required' | { readonly name: string };

export type ResponseFormat =
  | { readonly type: 'json' }
  | { readonly type: 'json_schema'; readonly name: string; readonly schema: JsonObject };

export const EFFORTS = ['low', 'medium', 'high', 'max'] as const;
export type Effort = (typeof EFFORTS)[number];

export interface Thinking {
  readonly mode: 'on' | 'off';
  readonly effort?: Effort;
  /** Whether the vendor is to keep what was thought in earlier turns. */
  readonly keep?: 'all' | 'none';
}

export interface Sampling {
  readonly temperature?: number;
  readonly topP?: number;
  readonly presencePenalty?: number;
  readonly frequencyPenalty?: number;
  readonly seed?: number;
}

/** The provider's own search, done on its side. */
export interface WebSearch {
  /** What to search for, where the caller knows better than the model. */
  readonly query?: string;
  readonly count?: number;
  readonly domain?: string;
  readonly recency?: 'day' | 'week' | 'month' | 'year';
  /** Searches the model may make before it has to answer. */
  readonly maxRounds?: number;
  /** Tokens of results that may enter the prompt. */
  readonly maxTokens?: number;
}

/** A request in nobody's dialect. What a model cannot take is left out with a notice, or refused with a reason. */
export interface ChatRequest {
  readonly model: string;
  readonly messages: readonly ChatMessage[];
  readonly delivery: 'stream' | 'whole';
  readonly tools?: readonly ChatTool[];
  readonly toolChoice?: ToolChoice;
  readonly responseFormat?: ResponseFormat;
  readonly thinking?: Thinking;
  readonly sampling?: Sampling;
  readonly stop?: readonly string[];
  /** Reasoning counts against it, too. */
  readonly maxOutputTokens?: number;
  /** The same for requests that begin with the same messages: it helps the vendor's cache. */
  readonly cacheKey?: string;
  readonly webSearch?: WebSearch;
  /** `prefix`: the last message is the assistant's, and the answer goes on from its last character. */
  readonly continuation?: 'prefix';
  /** A hash that stands for the end user, for the vendor's abuse checks. */
  readonly userHash?: string;
}

export interface TokenUsage {
  /** Of the prompt, those from the cache included. */
  readonly input: number;
  /** Of the answer, reasoning included. */
  readonly output: number;
  readonly cached: number;
  readonly reasoning: number;
  /** What the vendor says it cost; without it the catalogue's prices tell. */
  readonly costMicroUsd?: number;
  /** Counted by us, because the vendor did not say. */
  readonly estimated: boolean;
}

export interface Citation {
  readonly title: string;
  readonly url: string;
  readonly text?: string;
  /** How the answer refers to it: `ref_1`. */
  readonly mark?: string;
  readonly site?: string;
  /** As the vendor wrote it. */
  readonly date?: string;
}

export type FinishReason = 'stop' | 'length' | 'tool_calls';

/**
 * An answer as it comes. Every stream ends with `usage` and `finish`, in this order, or throws: an answer without an end, without
 * content or with reasoning alone is an error, and what was told before the error stands, `usage` included where the vendor counted.
 */
export type ChatEvent =
  /** First of all, once per exchange: the model that the vendor says it is. */
  | { readonly type: 'start'; readonly model: string }
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'reasoning'; readonly text: string }
  /** To be kept with the turn and handed back unchanged. */
  | { readonly type: 'reasoning_details'; readonly details: readonly JsonObject[] }
  /** The first of an index has id and name; `arguments` is what is added. */
  | {
      readonly type: 'tool_call';
      readonly index: number;
      readonly id?: string;
      readonly name?: string;
      readonly arguments: string;
    }
  | { readonly type: 'citation'; readonly citation: Citation }
  /** What was changed, left out or done twice on the way, for people. */
  | { readonly type: 'notice'; readonly notice: Notice }
  | { readonly type: 'usage'; readonly usage: TokenUsage }
  | { readonly type: 'finish'; readonly reason: FinishReason };
