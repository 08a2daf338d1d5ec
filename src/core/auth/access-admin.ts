import type { AccessDecision } from './decision.ts';

/** RPC methods of access administration. Served on the unix socket only, for the command line. */
export const ACCESS_METHODS = {
  explain: 'exai/access/explain',
  coverage: 'exai/access/coverage',
  list: 'exai/access/list',
  add: 'exai/access/add',
  remove: 'exai/access/remove',
} as const;

export interface AccessExplainRequest {
  readonly tool: string;
  /** Client name; absent for the owner. */
  readonly client?: string | undefined;
  readonly agent?: string | undefined;
  /** Of the call, for rows that depend on them. */
  readonly args?: Readonly<Record<string, unknown>> | undefined;
}

export interface AccessExplanation extends AccessDecision {
  /** `reasons`, rendered as sentences. */
  readonly because: readonly string[];
  readonly tool: string;
  readonly client: string;
  readonly agent?: string;
  readonly scopes: readonly string[];
  /** Whether the tool exists now; unknown tools are denied. */
  readonly toolIs: 'known' | 'unknown';
  /** Whether other arguments may be decided otherwise. */
  readonly dependsOnArguments?: true;
  /** Whether the tool may ask a model and so spend money. */
  readonly asksModels?: boolean;
}

/** Names of the tools that a set of scopes allows. */
export interface Coverage {
  /** Read-only tools that ask no model. */
  readonly free: readonly string[];
  /** Tools that ask models and spend money. */
  readonly paid: readonly string[];
  /** Tools that change things and ask no model. */
  readonly changing: readonly string[];
  /** The subset that requires confirmation by the client's user. */
  readonly asking: readonly string[];
}

export interface CoverageRequest {
  /** Default: the owner. */
  readonly client?: string | undefined;
  readonly agent?: string | undefined;
}

export interface ClientCoverage {
  readonly client: string;
  readonly scopes: readonly string[];
  readonly agent?: string;
  /** Of the agent. */
  readonly rows?: readonly string[];
  readonly coverage: Coverage;
}

export interface ClientSummary {
  readonly name: string;
  /** Owner of its data: its name, or a marked name if an earlier client had that name. */
  readonly principal: string;
  readonly scopes: readonly string[];
  /** When the client was created, in ISO 8601 UTC. Its token may have been rotated since. */
  readonly created: string;
  /** When its token expires or expired; absent if it does not. */
  readonly expires?: string;
}

export interface AddClientRequest {
  readonly name: string;
  /** Optional only when restoring a client, which then keeps its former scopes. */
  readonly scopes?: readonly string[] | undefined;
  /** Gives the new token the data of the removed client of this name. */
  readonly restore?: boolean | undefined;
}

export interface AddedClient {
  readonly name: string;
  readonly principal: string;
  readonly scopes: readonly string[];
  /** Returned only here; the store keeps its digest. */
  readonly token: string;
  /** Scopes that are probably mistakes, one sentence each. */
  readonly warnings: readonly string[];
  /** What happened to the data of an earlier client of that name. */
  readonly notices: readonly string[];
  readonly coverage: Coverage;
}

/** Administration of clients, their tokens and scopes. */
export interface AccessAdmin {
  explain(request: AccessExplainRequest): Promise<AccessExplanation>;
  /** All tools that a client, or an agent that works for it, may call. */
  coverage(request: CoverageRequest): Promise<ClientCoverage>;
  /** Oldest first, including removed clients. */
  list(): Promise<readonly ClientSummary[]>;
  /** Rejects with `validation` or `conflict`. */
  add(request: AddClientRequest): Promise<AddedClient>;
  /** Revokes the client's token. Rejects with `not_found`. */
  remove(request: { readonly name: string }): Promise<ClientSummary>;
}
