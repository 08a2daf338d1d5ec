import { hash } from 'node:crypto';

/** What stands in a comment of a service file that is ours: whose daemon it starts, and a digest by which edits are noticed. */
export interface ServiceMark {
  readonly home: string;
  readonly isEdited: boolean;
}

const UNSEALED = 'exai-check none';
const SEALED = /exai-check ([\da-f]{64})(?!\S)/;
const HOME = /exai-home ("(?:[^"\\\n]|\\.)*")/;

/** The two notes for the comment of a draft; a comment of XML may have no two hyphens in a row. */
export function markNotes(home: string): readonly [home: string, check: string] {
  return [`exai-home ${JSON.stringify(home).replaceAll('-', String.raw`\u002d`)}`, UNSEALED];
}

/** The draft with the digest of itself in place. */
export function seal(draft: string): string {
  return draft.replace(UNSEALED, `exai-check ${digest(draft)}`);
}

/** Nothing when the text was never ours. */
export function readMark(text: string): ServiceMark | undefined {
  const [sealed, told] = SEALED.exec(text) ?? [];
  const home = readHome(text);
  if (sealed === undefined || home === undefined) return undefined;
  return { home, isEdited: digest(text.replace(sealed, UNSEALED)) !== told };
}

function readHome(text: string): string | undefined {
  try {
    const home: unknown = JSON.parse(HOME.exec(text)?.[1] ?? 'null');
    return typeof home === 'string' ? home : undefined;
  } catch {
    // Not as we write it, so it is not ours.
    return undefined;
  }
}

function digest(text: string): string {
  return hash('sha256', text, 'hex');
}
