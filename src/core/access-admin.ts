import type { Decision } from './decision.ts';

/** The methods by which the command line asks the daemon, on the unix socket alone. */
export const ACCESS_METHODS = {
  explain: 'exai/access/explain',
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
  readonly tool: string;
  readonly client: string;
  readonly agent?: string;
  readonly scopes: readonly string[];
  /** Whether there is such a tool now; what is not there is denied as well. */
  readonly toolIs: 'known' | 'unknown';
}

export interface ClientSummary {
  readonly name: string;
  readonly scopes: readonly string[];
  /** Since when it has a token, which may have been replaced since: ISO 8601, in UTC. */
  readonly created: string;
  /** From when its token is refused; absent while it is good. */
  readonly expires?: string;
}

export interface AddRequest {
  readonly name: string;
  readonly scopes: readonly string[];
}

export interface AddedClient {
  readonly name: string;
  readonly scopes: readonly string[];
  /** Told this once; only its digest is kept. */
  readonly token: string;
  /** What its owner may not have meant, a sentence each. */
  readonly warnings: readonly string[];
}

/** Who has a token, and what it is good for. */
export interface AccessAdmin {
  explain(request: ExplainRequest): Promise<Explanation>;
  /** Oldest first, those that were removed included. */
  list(): Promise<readonly ClientSummary[]>;
  /** Rejects with `validation` or `conflict`. */
  add(request: AddRequest): Promise<AddedClient>;
  /** Its token is refused from now on. Rejects with `not_found`. */
  remove(request: { readonly name: string }): Promise<ClientSummary>;
}
