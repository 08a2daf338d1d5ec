import type { AskAnswer, AskRequest } from './ask.ts';
import type { TokenUsage } from './chat.ts';
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
