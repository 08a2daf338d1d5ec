import type { Notice } from '../messages/notices.ts';

/** A text that is about to be sent: what a tool of a client returned, a passage, a file at a provider. */
export interface SentText {
  /** What a notice or an error calls it. */
  readonly name: string;
  readonly text: string;
  /** Its first line in the file that it is a part of (default: 1). */
  readonly firstLine?: number;
  /** The field of the request that an error names. */
  readonly field: string;
  /** A notice about it was given before. */
  readonly isEarlier: boolean;
}

/**
 * Looks for secrets in texts that are about to be sent, as `files.secrets` says. Throws `permission`
 * where they are blocked.
 */
export type CheckSentTexts = (texts: readonly SentText[]) => Promise<readonly Notice[]>;
