import type { FindingCode } from '#core/hub/finding.ts';
import type { ScanTheme } from '#core/messages/scan-themes.ts';
import type { WordClass } from './lexicon.ts';
import type { MarkClass } from './mark-class.ts';

/** Findings that a theme may be by itself. Their only parameter is the place. */
export type ThemeCode = Extract<
  FindingCode,
  | 'scan_instruction_override'
  | 'scan_prompt_disclosure'
  | 'scan_concealment'
  | 'scan_role_claim'
  | 'scan_secret_transfer'
  | 'scan_secret_access'
  | 'scan_delayed_change'
  | 'scan_side_channel'
  | 'scan_command'
  | 'scan_user_override'
>;

/** What a sentence of a poisoned definition speaks of: kinds of words near each other. */
export interface Theme {
  /** One is enough by itself from `BLOCK` on; others are added up. */
  readonly weight: number;
  /** The finding that it is by itself. */
  readonly code?: ThemeCode;
  /** What the tool does that its name does not suggest. */
  readonly effect?: string;
  /** Each part is found by a word of one of its classes. */
  readonly parts: readonly (readonly MarkClass[])[];
  /** How many words may lie between the first part and each other one. */
  readonly within: number;
  /** The parts come in this order. */
  readonly isOrdered?: true;
  /** Nothing of these is in the sentence. */
  readonly except?: readonly MarkClass[];
  /** A tool for these does so by its nature. */
  readonly purposes?: readonly WordClass[];
  /** It says so after `not`, such as `do not tell`; others say the opposite then. */
  readonly isNegative?: true;
  /** With `not` and without. */
  readonly isEither?: true;
}

export type ThemeTable = Readonly<Partial<Record<ScanTheme, Theme>>>;
