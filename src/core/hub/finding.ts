import type { Reason, ReasonCode } from '../messages/reasons.ts';

/** `high`: withheld where the policy is to block. */
export type FindingSeverity = 'low' | 'medium' | 'high';

/** What the scanner does with definitions of a server: nothing, report findings, or withhold. */
export const SCAN_POLICIES = ['off', 'warn', 'block'] as const;
export type ScanPolicy = (typeof SCAN_POLICIES)[number];

/** Codes of reasons that say what the scanner found. */
export type FindingCode = Extract<ReasonCode, `scan_${string}`>;

/** Something suspicious in a definition of a server. */
export interface ScanFinding {
  readonly severity: FindingSeverity;
  /** Its code begins with `scan_`; its parameter `at` is the place, such as `description`. */
  readonly reason: Extract<Reason, { readonly code: FindingCode }>;
  /** The text that was found, in one line. It is for the owner and never for a model. */
  readonly excerpt: string;
}

export function hasHigh(findings: readonly ScanFinding[]): boolean {
  return findings.some(({ severity }) => severity === 'high');
}
