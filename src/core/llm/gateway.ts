import type { AskAnswer, AskRequest } from './ask.ts';
import type { TokenUsage } from './chat.ts';
import type { FileListOptions, NewFile, StoredFile } from '../stores/files.ts';
import type { StoredResponse } from '../stores/responses.ts';
import type { ProviderId } from './provider.ts';
import type { ModelAlias } from './stream-part.ts';

/**
 * Operations that the gateway endpoints (OpenAI, Anthropic) run. They are never listed to clients.
 */
export const GATEWAY_OPERATIONS = {
  chat: 'gateway_chat',
  embeddings: 'gateway_embeddings',
  models: 'gateway_models',
  countTokens: 'gateway_count_tokens',
  readResponse: 'gateway_read_response',
  deleteResponse: 'gateway_delete_response',
  createFile: 'gateway_create_file',
  listFiles: 'gateway_list_files',
  readFile: 'gateway_read_file',
  deleteFile: 'gateway_delete_file',
} as const;

/** Arguments of `gateway_chat`. */
export interface GatewayChat {
  readonly ask: AskRequest;
  /** Number of answers, each asked for separately. */
  readonly choices: number;
}

/** One of the answers; its report is in the envelope. */
export type GatewayChoice = Omit<AskAnswer, 'report'>;

/** The content of `gateway_chat`. */
export interface GatewayChatAnswer {
  readonly choices: readonly GatewayChoice[];
  /** Set if the client's name of the model is an alias. */
  readonly alias?: ModelAlias;
}

/** Arguments of `gateway_embeddings`. */
export interface GatewayEmbeddings {
  /** A name, or `auto`. */
  readonly model: string;
  /** The alias that the caller wrote, if the settings map it to `model`. */
  readonly namedAs?: string;
  readonly texts: readonly string[];
  readonly dimensions?: number;
}

/** The content of `gateway_embeddings`. */
export interface GatewayVectors {
  readonly model: string;
  readonly provider: ProviderId;
  /** In the order of the texts. */
  readonly vectors: readonly Float32Array[];
  readonly usage: TokenUsage;
}

/** Arguments of `gateway_count_tokens`. */
export interface GatewayCount {
  readonly ask: AskRequest;
}

/** The content of `gateway_count_tokens`. */
export interface GatewayTokens {
  readonly tokens: number;
}

/** Arguments of `gateway_models`. */
export interface GatewayModelsRequest {
  /** A single requested model; it is also listed if it is an alias of the settings. */
  readonly id?: string;
}

/** The content of `gateway_models`: models available now, `auto` first. */
export interface GatewayModels {
  readonly models: readonly GatewayModel[];
}

export interface GatewayModel {
  readonly id: string;
  readonly title: string;
  readonly provider: ProviderId | 'exai';
  /** Milliseconds since the epoch; 0 if unknown. */
  readonly createdAtMs: number;
  readonly contextTokens?: number;
  readonly maxOutputTokens?: number;
}

/** Arguments of `gateway_read_response` and `gateway_delete_response`. */
export interface GatewayResponseRequest {
  /** `resp_…` */
  readonly id: string;
}

/** The content of `gateway_read_response`. */
export interface GatewayStoredResponse {
  readonly stored: StoredResponse;
}

/** A file of a form, as it arrives. */
export interface UploadedFile extends Pick<NewFile, 'name' | 'mime'> {
  /** Fails if the form does; can be iterated once. */
  readonly chunks: AsyncIterable<Uint8Array>;
  /** Known after the last chunk. */
  readonly purpose: () => string | undefined;
}

/** Arguments of `gateway_create_file`. */
export interface GatewayUpload {
  /** Reads the form, and stores its file with `store`. */
  readonly receive: (store: (file: UploadedFile) => Promise<StoredFile>) => Promise<StoredFile>;
}

/** Arguments of `gateway_list_files`. */
export interface GatewayFilesRequest extends FileListOptions {
  readonly limit: number;
  /** The last id of the previous page. */
  readonly after?: string;
}

/** The content of `gateway_list_files`. */
export interface GatewayFiles {
  readonly files: readonly StoredFile[];
  readonly hasMore: boolean;
}

/** Arguments of `gateway_read_file` and `gateway_delete_file`. */
export interface GatewayFileRequest {
  /** `file_…` */
  readonly id: string;
}

/** The content of `gateway_create_file` and `gateway_read_file`. */
export interface GatewayStoredFile {
  readonly file: StoredFile;
}
