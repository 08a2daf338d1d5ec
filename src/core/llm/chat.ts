import type { JsonObject } from '../json/json.ts';
import type { Notice } from '../messages/notices.ts';

/** Source of an image, video or document. `base64` has no prefix. */
export type MediaSource =
  | { readonly url: string }
  | { readonly base64: string; readonly mediaType: string }
  /** At a provider: the id of its own `upload`. In a request of the gateway: the caller's file. */
  | { readonly fileId: string };

export type ChatPart =
  | {
      readonly type: 'text';
      readonly text: string;
      /** The name of the file that the text is; such a text is checked for secrets. */
      readonly fromFile?: string;
    }
  | {
      readonly type: 'image' | 'video' | 'file';
      readonly source: MediaSource;
      /** The file name, if its sender gave one. */
      readonly name?: string;
    };

export interface ToolCall {
  readonly id: string;
  readonly name: string;
  /** As the model wrote them, possibly invalid JSON; see `readArguments`. */
  readonly arguments: string;
}

/** What every message may carry. */
interface MessageExtras {
  /**
   * Names of tools of the request that become known after this message. A model that supports it
   * learns them there, so that the cached prefix before stays valid; others know all from the start.
   */
  readonly addsTools?: readonly string[];
}

export type ChatMessage = MessageExtras &
  (
    | { readonly role: 'system'; readonly content: string }
    | { readonly role: 'user'; readonly content: string | readonly ChatPart[] }
    | {
        readonly role: 'assistant';
        readonly content: string;
        /** The model's reasoning; some vendors require it back unchanged with the tool calls. */
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
      }
  );

export interface ChatTool {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of the arguments, with an object at the root. */
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
  /** Whether the vendor keeps the reasoning of earlier turns. */
  readonly keep?: 'all' | 'none';
}

export interface Sampling {
  readonly temperature?: number;
  readonly topP?: number;
  readonly presencePenalty?: number;
  readonly frequencyPenalty?: number;
  readonly seed?: number;
}

/** The provider's built-in web search. */
export interface WebSearch {
  /** Search query, if the caller sets it instead of the model. */
  readonly query?: string;
  readonly count?: number;
  readonly domain?: string;
  readonly recency?: 'day' | 'week' | 'month' | 'year';
  /** Maximum number of searches per answer. */
  readonly maxRounds?: number;
  /** Maximum tokens of search results in the prompt. */
  readonly maxTokens?: number;
}

/**
 * A vendor-neutral chat request. Options that a model does not support are dropped with a notice,
 * or refused with a reason.
 */
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
  /** Includes reasoning tokens and all requests that an answer needs. */
  readonly maxOutputTokens?: number;
  /** Equal for requests that start with the same messages; helps the vendor's cache. */
  readonly cacheKey?: string;
  readonly webSearch?: WebSearch;
  /** `prefix`: the last message is the assistant's, and the answer continues it. */
  readonly continuation?: 'prefix';
  /** Hash of the end user, for the vendor's abuse checks. */
  readonly userHash?: string;
}

export interface TokenUsage {
  /** Prompt tokens, including cached ones. */
  readonly input: number;
  /** Completion tokens, including reasoning. */
  readonly output: number;
  readonly cached: number;
  readonly reasoning: number;
  /** Cost reported by the vendor; otherwise computed from the catalogue's prices. */
  readonly costMicroUsd?: number;
  /** Estimated by us, because the vendor reported none. */
  readonly estimated: boolean;
}

export interface Citation {
  readonly title: string;
  readonly url: string;
  readonly text?: string;
  /** Reference mark in the answer: `ref_1`. */
  readonly mark?: string;
  readonly site?: string;
  /** As the vendor returned it. */
  readonly date?: string;
}

export type FinishReason = 'stop' | 'length' | 'tool_calls';

/**
 * A streamed answer. Every stream ends with `usage` and `finish`, in this order, or throws. An
 * answer without an end, without content or with reasoning only is an error, unless it reached the
 * limit of the request (`length`); events before the error stay valid, including `usage` if the
 * vendor reported it.
 */
export type ChatEvent =
  /** First event of every request: the model that the vendor reports. */
  | { readonly type: 'start'; readonly model: string }
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'reasoning'; readonly text: string }
  /** Stored with the turn and sent back unchanged. */
  | { readonly type: 'reasoning_details'; readonly details: readonly JsonObject[] }
  /** The first part of an index has id and name; `arguments` is the added text. */
  | {
      readonly type: 'tool_call';
      readonly index: number;
      readonly id?: string;
      readonly name?: string;
      readonly arguments: string;
      /** The arguments of the whole call are not a JSON object. */
      readonly isUnreadable?: true;
    }
  | { readonly type: 'citation'; readonly citation: Citation }
  /** What was changed, dropped or retried, for the user. */
  | { readonly type: 'notice'; readonly notice: Notice }
  /**
   * `usage` is what all requests of the chat took. `answer` is the prompt once and the output that
   * was emitted; absent if one request was sent.
   */
  | { readonly type: 'usage'; readonly usage: TokenUsage; readonly answer?: TokenUsage }
  /** `stopText`: the stop text that ended the answer, if the vendor names it. */
  | { readonly type: 'finish'; readonly reason: FinishReason; readonly stopText?: string };
