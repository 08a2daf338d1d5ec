import type { ScanFinding } from '../hub/finding.ts';
import type { JsonObject } from '../json/json.ts';

/**
 * `first_sight`: it was there when the server was seen first; `owner`: the owner approved it;
 * `rejected`: the owner refused it.
 */
export type PinApproval = 'first_sight' | 'owner' | 'rejected';

/** The pinned definition of a tool, by its hash. */
export interface Pin {
  readonly tool: string;
  readonly hash: string;
  readonly approval: PinApproval;
  /** Null: it was never scanned. */
  readonly findings: readonly ScanFinding[] | null;
}

/** A definition that differs from the pinned one, or of a tool that was added later. */
export interface PinCandidate {
  readonly tool: string;
  readonly hash: string;
  readonly decision: 'waiting' | 'rejected';
  readonly findings: readonly ScanFinding[] | null;
  /** A pinned tool that is gone and had the same definition. */
  readonly renamedFrom: string | null;
}

/** What is pinned of a server. */
export interface PinnedServer {
  /** Of the last list of tools in which each was approved and without findings; empty: none. */
  readonly approvedListHash: string;
  readonly firstSeenAt: number;
  readonly pins: readonly Pin[];
  readonly candidates: readonly PinCandidate[];
}

/** A definition with its hash, as it is stored. */
export interface PinnedDefinition {
  readonly hash: string;
  readonly definition: JsonObject;
  readonly findings: readonly ScanFinding[] | null;
}

export type NewPin = PinnedDefinition & { readonly tool: string };
export type NewCandidate = NewPin & Pick<PinCandidate, 'renamedFrom'>;

/** Pinned definitions of the tools of MCP servers. All daemons of a store share them. */
export interface PinStore {
  /** Undefined before the first sight of a server. */
  load(server: string): Promise<PinnedServer | undefined>;
  /** Pins what a server has at first sight; what another daemon pinned before stays. */
  pin(server: string, pins: readonly NewPin[]): Promise<void>;
  /** Keeps definitions that wait for the owner, and forgets those of tools that are gone. */
  hold(server: string, candidates: readonly NewCandidate[], gone: readonly string[]): Promise<void>;
  saveFindings(server: string, scanned: readonly Omit<NewPin, 'definition'>[]): Promise<void>;
  saveApprovedList(server: string, hash: string): Promise<void>;
  /** Both definitions of a tool. */
  show(
    server: string,
    tool: string,
  ): Promise<{ readonly pinned?: PinnedDefinition; readonly candidate?: PinnedDefinition }>;
  /** Decides about exactly this definition; `not_found` if it is neither pinned nor waiting. */
  decide(
    server: string,
    tool: string,
    hash: string,
    decision: 'approved' | 'rejected',
  ): Promise<void>;
  /** Forgets a server; the next time it is seen is its first sight. */
  remove(server: string): Promise<void>;
}
