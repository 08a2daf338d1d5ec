import type { AskAnswer, AskRequest } from './ask.ts';
import type { TokenUsage } from './chat.ts';
import type { ProviderId } from './provider.ts';

/** What the doors for other people's APIs run. These are operations: called by a door, listed to nobody. */
export const GATEWAY_OPERATIONS = {
  chat: 'gateway_chat',
  embeddings: 'gateway_embeddings',
  models: 'gateway_models',
  countTokens: 'gateway_count_tokens',
} as const;

/** Arguments of `gateway_chat`. */
export interface GatewayChat {
  readonly ask: AskRequest;
  /** How many answers are wanted, each asked for on its own. */
  readonly choices: number;
}

/** One of the answers; how asking for it went is told by the envelope. */
export type GatewayChoice = Omit<AskAnswer, 'report'>;

/** The content of `gateway_chat`. */
export interface GatewayChatAnswer {
  readonly choices: readonly GatewayChoice[];
}

/** Arguments of `gateway_embeddings`. */
export interface GatewayEmbeddings {
  /** A name, or `auto`. */
  readonly model: string;
  /** What the caller wrote, where the settings say that it means `model`. */
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
export interface GatewayModelsAsked {
  /** The one that is asked about: it is listed, too, where the settings give its name a meaning. */
  readonly id?: string;
}

/** The content of `gateway_models`: those that can be asked for now, `auto` first. */
export interface GatewayModels {
  readonly models: readonly GatewayModel[];
}

export interface GatewayModel {
  readonly id: string;
  readonly title: string;
  readonly provider: ProviderId | 'exai';
  /** In milliseconds since 1970; 0 where nobody knows. */
  readonly createdAtMs: number;
  readonly contextTokens?: number;
  readonly maxOutputTokens?: number;
}
