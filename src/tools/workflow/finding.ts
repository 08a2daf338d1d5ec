export const SEVERITIES = ['critical', 'high', 'medium', 'low'] as const;
export type Severity = (typeof SEVERITIES)[number];

/** Something that was found, as data. */
export interface Finding {
  readonly severity: Severity;
  readonly description: string;
  readonly file?: string;
  readonly line?: number;
  readonly fix?: string;
}

/** With who found it. */
export interface AttributedFinding extends Finding {
  readonly from: 'investigator' | 'expert';
}

/** 0 for the worst. */
export function severityRank(severity: Severity): number {
  return SEVERITIES.indexOf(severity);
}
