import type {
  ChatEvent,
  ChatMessage,
  ChatRequest,
  ChatTool,
  Citation,
  TokenUsage,
} from './chat.ts';
import type { Deadline } from './deadline.ts';
import type { ErrorClass } from './error-class.ts';
import type { Cancel } from './http.ts';
import type { JsonObject } from './json.ts';
import type { Notice } from './messages/notices.ts';
import { PROVIDERS, type ProviderId } from './providers/list.ts';

export type { ProviderId } from './providers/list.ts';

/** In the order of preference when nothing else decides. */
export const PROVIDER_IDS: readonly ProviderId[] = PROVIDERS.map(({ id }) => id);

/** What a provider can do beyond chat, streamed or whole; what a model can is in the catalogue. */
export const ABILITIES = [
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
] as const;
export type Ability = (typeof ABILITIES)[number];

/** How long to wait for what, besides the deadline. */
export interface Patience {
  /** Until the first text, thought or tool call. */
  readonly firstTokenMs: number;
  /** Between two of them. */
  readonly idleMs: number;
}

/** One request to a vendor and how it ended, for breadcrumbs and support tickets; never what was said. */
export interface Exchange {
  readonly provider: ProviderId;
  readonly operation: 'chat' | Ability;
  readonly model?: string;
  readonly elapsedMs: number;
  readonly firstTokenMs?: number;
  /** Absent when no answer came. */
  readonly status?: number;
  readonly outcome: 'ok' | ErrorClass;
  /** The vendor's own ids of the request, by the names it gave them. */
  readonly vendorIds: Readonly<Record<string, string>>;
}

export interface ProviderContext {
  readonly signal: Cancel;
  readonly deadline: Deadline;
  readonly patience?: Patience;
  /** How long to stand in line for the vendor, besides the deadline; whoever has somebody else to ask sets it. */
  readonly lineMs?: number;
  /** Told when an exchange is over, however it ended. */
  onExchange?(exchange: Exchange): void;
}

export const FILE_PURPOSES = ['extract', 'image', 'video', 'agent', 'batch'] as const;
export type FilePurpose = (typeof FILE_PURPOSES)[number];

export interface FileToUpload {
  readonly name: string;
  readonly mediaType: string;
  readonly size: number;
  /** Sent as it comes; asked for again when the upload is tried again. */
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

/** A model as its vendor describes it; what the vendor does not say is absent. */
export interface ProviderModel {
  readonly id: string;
  readonly contextTokens?: number;
  readonly maxOutputTokens?: number;
  readonly images?: boolean;
  readonly video?: boolean;
  readonly tools?: boolean;
  readonly thinking?: boolean;
  /** Micro-dollars for a million tokens. */
  readonly price?: { readonly input: number; readonly output: number; readonly cached?: number };
}

export interface SearchQuery {
  readonly query: string;
  readonly count?: number;
  readonly domain?: string;
  readonly recency?: 'day' | 'week' | 'month' | 'year';
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
}

export interface Balance {
  readonly available: number;
  /** `USD`, `CNY`. */
  readonly currency: string;
}

/** A call that was left with the vendor. */
export interface LeftCall {
  readonly id: string;
  /** What was changed or left out on the way, for people. */
  readonly notices: readonly Notice[];
}

/** How a call that was left with the vendor stands. */
export type AsyncAnswer =
  | { readonly is: 'running' }
  | { readonly is: 'done'; readonly events: readonly ChatEvent[] };

/**
 * A vendor of models. Whatever goes wrong is a CallError with the provider's name; its message holds no key. Operations
 * that a vendor does not have are absent, and absent from `can`.
 */
export interface Provider {
  readonly id: ProviderId;
  readonly title: string;
  readonly can: readonly Ability[];
  chat(request: ChatRequest, context: ProviderContext): AsyncIterable<ChatEvent>;
  /** The request as it would be sent, without its key; asks nobody. Throws what `chat` would refuse. */
  preview?(request: ChatRequest): { readonly url: string; readonly body: JsonObject };
  /** The cheapest request that proves key and address, and what it tells, in a few words. */
  check(context: ProviderContext): Promise<string>;
  models?(context: ProviderContext): Promise<readonly ProviderModel[]>;
  upload?(file: FileToUpload, context: ProviderContext): Promise<ProviderFile>;
  /** The text that the vendor extracted. */
  fileContent?(fileId: string, context: ProviderContext): Promise<string>;
  listFiles?(context: ProviderContext): Promise<readonly ProviderFile[]>;
  /** `absent` when the vendor does not know it. */
  deleteFile?(fileId: string, context: ProviderContext): Promise<'deleted' | 'absent'>;
  embed?(
    input: {
      readonly model?: string;
      readonly texts: readonly string[];
      readonly dimensions?: number;
    },
    context: ProviderContext,
  ): Promise<{
    /** The one that made them, also where none was named. */
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
  search?(query: SearchQuery, context: ProviderContext): Promise<readonly Citation[]>;
  read?(page: ReadPage, context: ProviderContext): Promise<PageText>;
  balance?(context: ProviderContext): Promise<Balance>;
  /** Leaves a call with the vendor. */
  chatLater?(request: ChatRequest, context: ProviderContext): Promise<LeftCall>;
  asyncAnswer?(id: string, context: ProviderContext): Promise<AsyncAnswer>;
}
