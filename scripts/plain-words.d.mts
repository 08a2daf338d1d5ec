export interface AvoidedPhrase {
  readonly found: string;
  readonly instead: string;
  readonly index: number;
}
export function findAvoidedPhrases(text: string): AvoidedPhrase[];
