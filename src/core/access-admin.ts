import type { Decision } from './decision.ts';

/** The methods by which the command line asks the daemon, on the unix socket alone. */
export const ACCESS_METHODS = {
  explain: 'exai/access/explain',
  coverage: 'exai/access/coverage',
  list: 'exai/access/list',
  add: 'exai/access/add',
  remove: 'exai/access/remove',
} as const;

export interface ExplainRequest {
  readonly tool: string;
  /** A client by its name; without one, whoever comes by the unix socket. */
  readonly client?: string | undefined;
  readonly agent?: string | undefined;
}

export interface Explanation extends Decision {
  /** The reasons as sentences. */
  readonly because: readonly string[];
  readonly tool: string;
  readonly client: string;
  readonly agent?: string;
  readonly scopes: readonly string[];
  /** Whether there is such a tool now; what is not there is denied as well. */
  readonly toolIs: 'known' | 'unknown';
  /** Whether a call of it may ask a model, and so spend money. */
  readonly asksModels?: boolean;
}

/** The tools that some scopes let a client call, by name. */
export interface Coverage {
  /** They only read, and ask no model. */
  readonly free: readonly string[];
  /** They ask models and spend money. */
  readonly paid: readonly string[];
  /** They change things, and ask no model. */
  readonly changing: readonly string[];
  /** Those of them that are called only after the client's own user was asked, as the client tells. */
  readonly asking: readonly string[];
}

export interface ClientCoverage {
  readonly client: string;
  readonly scopes: readonly string[];
  readonly coverage: Coverage;
}

export interface ClientSummary {
  readonly name: string;
  /** Under what its data is kept: its name, or another where an earlier client had that name. */
  readonly principal: string;
  readonly scopes: readonly string[];
  /** Since when it has a token, which may have been replaced since: ISO 8601, in UTC. */
  readonly created: string;
  /** From when its token is refused; absent while it is good. */
  readonly expires?: string;
}

export interface AddRequest {
  readonly name: string;
  /** May be absent only when a client is restored: it then has those it had. */
  readonly scopes?: readonly string[] | undefined;
  /** The new token gets the data of the client of this name that was removed. */
  readonly restore?: boolean | undefined;
}

export interface AddedClient {
  readonly name: string;
  readonly principal: string;
  readonly scopes: readonly string[];
  /** Told this once; only its digest is kept. */
  readonly token: string;
  /** What its owner may not have meant, a sentence each. */
  readonly warnings: readonly string[];
  /** What became of the data of an earlier client of that name. */
  readonly notices: readonly string[];
  readonly coverage: Coverage;
}

/** Who has a token, and what it is good for. */
export interface AccessAdmin {
  explain(request: ExplainRequest): Promise<Explanation>;
  /** All that a client may call; without one, of the owner. */
  coverage(request: { readonly client?: string | undefined }): Promise<ClientCoverage>;
  /** Oldest first, those that were removed included. */
  list(): Promise<readonly ClientSummary[]>;
  /** Rejects with `validation` or `conflict`. */
  add(request: AddRequest): Promise<AddedClient>;
  /** Its token is refused from now on. Rejects with `not_found`. */
  remove(request: { readonly name: string }): Promise<ClientSummary>;
}
