import { createHash } from 'node:crypto';

const MAX_ID_CHARS = 128;

/** Ids of any length as one that every field takes. */
export function shortened(id: string): string {
  const text = id.toWellFormed();
  return text.length <= MAX_ID_CHARS ? text : createHash('sha256').update(text).digest('hex');
}
