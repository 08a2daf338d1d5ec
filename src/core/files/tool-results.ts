import type { Notice } from '../messages/notices.ts';

/** What a tool of the client returned, as it is part of a conversation. */
export interface SentToolResult {
  /** What a notice or an error calls it. */
  readonly name: string;
  readonly text: string;
  /** The field of the request that an error names. */
  readonly field: string;
  /** A model has answered after it. */
  readonly isEarlier: boolean;
}

/**
 * Looks for secrets in results of tools that are about to be sent, as `files.secrets` says. Throws
 * `permission` where they are blocked.
 */
export type CheckToolResults = (results: readonly SentToolResult[]) => Promise<readonly Notice[]>;
