import type {
  ChatEvent,
  ChatMessage,
  ChatRequest,
  ChatTool,
  Citation,
  Effort,
  TokenUsage,
} from './chat.ts';
import type { Deadline } from '../time/deadline.ts';
import type { ErrorClass } from '../errors/error-class.ts';
import type { AbortSignalLike } from '../net/abort.ts';
import type { JsonObject } from '../json/json.ts';
import type { Notice } from '../messages/notices.ts';
import { PROVIDERS, type BuiltInProviderId, type ProviderId } from '../providers/list.ts';
import type { CapturedRequest } from './captured-request.ts';
import type { FilePurpose } from './file-purpose.ts';
import type { StreamTimeouts } from './stream-timeouts.ts';

export type { ProviderId } from '../providers/list.ts';
export { FILE_PURPOSES, type FilePurpose } from './file-purpose.ts';
export type { StreamTimeouts } from './stream-timeouts.ts';

/** The built-in providers, in the default order of preference. */
export const PROVIDER_IDS: readonly BuiltInProviderId[] = PROVIDERS.map(({ id }) => id);

/** Optional operations of a provider beyond chat; capabilities of models are in the catalogue. */
export const CAPABILITIES = [
  'web_search',
  'prefix',
  'upload',
  'file_content',
  'list_files',
  'delete_file',
  'embed',
  'count_tokens',
  'models',
  'search',
  'read',
  'balance',
  'async_chat',
  'ocr',
] as const;
export type Capability = (typeof CAPABILITIES)[number];

/** One request to a vendor and its outcome, for logs and support tickets; never its content. */
export interface VendorRequestRecord {
  readonly provider: ProviderId;
  readonly operation: 'chat' | Capability;
  readonly model?: string;
  readonly elapsedMs: number;
  readonly firstTokenMs?: number;
  /** HTTP status; absent without a response. */
  readonly status?: number;
  readonly outcome: 'ok' | ErrorClass;
  /** The vendor's request ids, by header name. */
  readonly vendorIds: Readonly<Record<string, string>>;
}

/** The requests to vendors that one ask may make: attempts, retries, follow-ups, search rounds. */
export interface VendorCalls {
  readonly max: number;
  readonly left: number;
  /** Counts a request that is about to be sent. */
  count(): void;
}

/** A further request of a chat: another search, a correction, a retry with less thinking. */
export interface FollowUpRequest {
  /** What the requests of the chat have taken so far. */
  readonly used: TokenUsage;
  /** Estimated tokens of its prompt. */
  readonly inputTokens: number;
  /** Absent without a limit. */
  readonly maxOutputTokens?: number;
}

export interface ProviderContext {
  readonly signal: AbortSignalLike;
  readonly deadline: Deadline;
  readonly timeouts?: StreamTimeouts;
  /**
   * Maximum wait for a free slot of the vendor, in addition to the deadline; set while another
   * provider may have one.
   */
  readonly queueMs?: number;
  /**
   * Maximum time of a response that is not streamed, from the moment it is requested; set if there
   * is a fallback.
   */
  readonly wholeMs?: number;
  /** Counts the requests of a chat; without it there is no limit. */
  readonly vendorCalls?: VendorCalls;
  /**
   * Called before a further request of a chat that has cost something. Rejects with `budget` where
   * its maximum cost exceeds what is left of a limit.
   */
  readonly admitFollowUp?: (request: FollowUpRequest) => Promise<void>;
  /**
   * Searches the web for a chat whose vendor names no sources; absent if no other provider can. Its
   * attempts are those of the ask.
   */
  readonly searchWeb?: (query: SearchQuery) => Promise<SearchAnswer>;
  /** Called when a request has ended, on success and failure. */
  onVendorRequest?(exchange: VendorRequestRecord): void;
  /** Called with each chat request that was answered, for traces; by default nothing is captured. */
  readonly onCapture?: (captured: CapturedRequest) => void;
}

export interface FileToUpload {
  readonly name: string;
  readonly mediaType: string;
  readonly size: number;
  /** Streamed; called again if the upload is retried. */
  bytes(): AsyncIterable<Uint8Array>;
  readonly purpose: FilePurpose;
}

export interface ProviderFile {
  readonly id: string;
  readonly name: string;
  readonly size: number;
  /** As the vendor calls it. */
  readonly purpose: string;
  readonly createdAtMs: number;
  readonly state: 'ready' | 'pending' | 'failed';
}

/** The text that a vendor recognised in scanned pages or a picture. */
export interface OcrResult {
  readonly text: string;
  /** What was charged; absent where it is free. */
  readonly used?: { readonly model: string; readonly usage: TokenUsage };
}

/** A model as listed by its vendor; unknown fields are absent. */
export interface ProviderModel {
  readonly id: string;
  readonly contextTokens?: number;
  readonly maxOutputTokens?: number;
  readonly images?: boolean;
  readonly video?: boolean;
  readonly tools?: boolean;
  readonly thinking?: boolean;
  /** Whether thinking cannot be turned off. */
  readonly alwaysThinks?: boolean;
  /** Supported effort levels, weakest first; empty if it has none that we know. */
  readonly efforts?: readonly Effort[];
  /** Micro-dollars for a million tokens. */
  readonly price?: { readonly input: number; readonly output: number; readonly cached?: number };
}

export interface SearchQuery {
  readonly query: string;
  readonly count?: number;
  readonly domain?: string;
  readonly recency?: 'day' | 'week' | 'month' | 'year';
}

/** What a search found. */
export interface SearchAnswer {
  /** In the order of the vendor. */
  readonly results: readonly Citation[];
  /** Which parts of the query the vendor did not take. */
  readonly notices: readonly Notice[];
  /** What was charged; absent where it is free. */
  readonly used?: { readonly model: string; readonly usage: TokenUsage };
}

export interface ReadPage {
  readonly url: string;
  readonly format: 'markdown' | 'text';
}

export interface PageText {
  readonly url: string;
  readonly title: string;
  readonly description: string;
  readonly content: string;
  /** What was charged; absent where it is free. */
  readonly used?: { readonly model: string; readonly usage: TokenUsage };
}

export interface Balance {
  readonly available: number;
  /** `USD`, `CNY`. */
  readonly currency: string;
}

/** An asynchronous chat submitted to the vendor. */
export interface AsyncChat {
  readonly id: string;
  /** What was changed or dropped, for the user. */
  readonly notices: readonly Notice[];
}

/** State of an asynchronous chat. */
export type AsyncChatResult =
  | { readonly is: 'running' }
  | { readonly is: 'done'; readonly events: readonly ChatEvent[] };

/**
 * An adapter to one vendor of models. Every failure is a CallError with the provider's id; its
 * message contains no key. Operations that the vendor lacks are absent here and in `can`.
 */
export interface Provider {
  readonly id: ProviderId;
  readonly title: string;
  readonly capabilities: readonly Capability[];
  chat(request: ChatRequest, context: ProviderContext): AsyncIterable<ChatEvent>;
  /**
   * The request as it would be sent, without its key. Sends nothing; throws what `chat` would
   * throw.
   */
  preview?(request: ChatRequest): { readonly url: string; readonly body: JsonObject };
  /** Verifies key and URL with the cheapest request; returns a short description of the result. */
  check(context: ProviderContext): Promise<string>;
  /** Asks a model for one token, the least that proves it answers; returns the model's id. */
  tryModel?(model: string, context: ProviderContext): Promise<string>;
  models?(context: ProviderContext): Promise<readonly ProviderModel[]>;
  upload?(file: FileToUpload, context: ProviderContext): Promise<ProviderFile>;
  /** The text that the vendor extracted. */
  fileContent?(fileId: string, context: ProviderContext): Promise<string>;
  listFiles?(context: ProviderContext): Promise<readonly ProviderFile[]>;
  /** `absent` if the vendor does not know the file. */
  deleteFile?(fileId: string, context: ProviderContext): Promise<'deleted' | 'absent'>;
  /** Recognises the text of scanned pages or a picture. Nothing stays at the vendor. */
  ocr?(file: Omit<FileToUpload, 'purpose'>, context: ProviderContext): Promise<OcrResult>;
  embed?(
    input: {
      readonly model?: string;
      readonly texts: readonly string[];
      readonly dimensions?: number;
    },
    context: ProviderContext,
  ): Promise<{
    /** The model that was used. */
    readonly model: string;
    readonly vectors: readonly Float32Array[];
    readonly usage: TokenUsage;
  }>;
  countTokens?(
    input: {
      readonly model: string;
      readonly messages: readonly ChatMessage[];
      readonly tools?: readonly ChatTool[];
    },
    context: ProviderContext,
  ): Promise<number>;
  search?(query: SearchQuery, context: ProviderContext): Promise<SearchAnswer>;
  read?(page: ReadPage, context: ProviderContext): Promise<PageText>;
  balance?(context: ProviderContext): Promise<Balance>;
  /** Submits an asynchronous chat. */
  submitAsync?(request: ChatRequest, context: ProviderContext): Promise<AsyncChat>;
  pollAsync?(id: string, context: ProviderContext): Promise<AsyncChatResult>;
}
