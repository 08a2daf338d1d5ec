import type { ScanFinding, FindingSeverity } from './finding.ts';
import type { QuarantinedTool } from './upstream.ts';

export const PIN_METHODS = {
  list: 'exai/pins/list',
  diff: 'exai/pins/diff',
  decide: 'exai/pins/decide',
} as const;

/** A finding as the owner reads it. */
export interface ShownFinding {
  readonly severity: FindingSeverity;
  readonly code: ScanFinding['reason']['code'];
  /** A sentence. */
  readonly text: string;
  readonly excerpt: string;
}

/** A quarantined tool as the owner reads it. */
export interface ShownQuarantine extends Omit<QuarantinedTool, 'findings'> {
  readonly listedAs: string;
  /** A sentence. */
  readonly because: string;
  readonly findings: readonly ShownFinding[];
}

/** The pins of one server. */
export interface PinSummary {
  readonly server: string;
  /** Callable tools. */
  readonly approved: number;
  readonly quarantined: readonly ShownQuarantine[];
  /** Callable tools in which the scanner found something. */
  readonly warned: readonly { readonly name: string; readonly findings: readonly ShownFinding[] }[];
  /** Pinned tools that the server no longer lists. */
  readonly missing: readonly string[];
}

export interface PinDiff extends ShownQuarantine {
  readonly server: string;
  readonly differences: readonly {
    readonly at: string;
    readonly before?: string;
    readonly after?: string;
  }[];
}

export interface PinDecisions {
  readonly server: string;
  readonly decision: 'approved' | 'rejected';
  readonly decided: readonly string[];
  /** Those with findings, which must be named to be approved. */
  readonly left: readonly string[];
}
