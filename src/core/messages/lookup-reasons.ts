import { formatDuration } from '../text/format.ts';
import type { SentenceTable } from './coded-message.ts';

/** What was named and is not there, or not for this caller. */
export interface LookupReasonParams {
  unknown_conversation: {
    readonly id: string;
    /** The day in its id, `2026-01-31`; absent where that lies in the future. */
    readonly begun?: string;
    /** Present where it may have expired: how long conversations are stored. */
    readonly keptDays?: number;
  };
  unknown_job: {
    readonly id: string;
    /**
     * Present where it has expired: how long ago it began, and how long finished jobs are stored.
     */
    readonly expired?: { readonly ageS: number; readonly keptDays: number };
  };
  unknown_result: { readonly id: string };
  /** The roots are those that are shown; `more` is how many others there are. */
  file_outside_roots: {
    readonly path: string;
    readonly roots: readonly string[];
    readonly more?: number;
  };
  missing_file: {
    readonly path: string;
    /** The missing folder of its path, where it is not the file itself. */
    readonly folder?: string;
    readonly meant?: string;
  };
}

const DAY_S = 86_400;

export const LOOKUP_REASON_SENTENCES: SentenceTable<LookupReasonParams> = {
  unknown_conversation: ({ id, begun, keptDays }) => {
    const start = `There is no conversation ${id} of yours.`;
    if (begun === undefined) return `${start} Its id holds a time that has not come yet`;
    const expired =
      keptDays === undefined ? '' : `has expired (${keptDays} days after its last turn), `;
    return `${start} By its id it was begun on ${begun}; it was deleted, ${expired}or is another client's`;
  },
  unknown_job: ({ id, expired }) =>
    expired === undefined
      ? `You have no job ${id}`
      : `Job ${id} is no longer kept: it was begun ${formatDuration(expired.ageS)} ago, and jobs go ${formatDuration(expired.keptDays * DAY_S)} after they are over`,
  unknown_result: ({ id }) => `Result ${id} not found`,
  file_outside_roots: ({ path, roots, more = 0 }) => {
    if (roots.length === 0) return `This caller may read no folder, so not ${JSON.stringify(path)}`;
    const others = more > 0 ? ` and ${more} more` : '';
    return `${JSON.stringify(path)} is not in the folders that this caller may read: ${roots.join(', ')}${others}`;
  },
  missing_file: ({ path, folder, meant }) => {
    const where = folder === undefined ? '' : ` (there is no ${JSON.stringify(folder)} on the way)`;
    const hint = meant === undefined ? '' : `, did you mean "${meant}"?`;
    return `There is no ${JSON.stringify(path)}${where}${hint}`;
  },
};
