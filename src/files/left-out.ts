import { oneLine } from '#core/one-line.ts';
import {
  inMegabytes,
  MAX_ALL_BYTES,
  MAX_DEPTH,
  MAX_ENTRIES,
  MAX_FILE_BYTES,
  MAX_FILES,
  MAX_OPENED,
} from './limits.ts';

/** Why something of a folder is not among its texts. */
export type Reason = keyof typeof WORDS;

const WORDS = {
  hidden: 'hidden',
  skipped: 'made by tools',
  ignored: 'ignored by .gitignore',
  links: 'links',
  special: 'no ordinary files',
  private: 'not to be read by anybody',
  secret: 'that may hold secrets and are read only when named themselves',
  no_text: 'no UTF-8 text',
  too_large: `over ${inMegabytes(MAX_FILE_BYTES)}`,
  full: `beyond ${inMegabytes(MAX_ALL_BYTES)} in all`,
  too_many: `beyond ${MAX_FILES} texts or ${MAX_OPENED} files`,
  too_deep: `more than ${MAX_DEPTH} folders down`,
  unread: 'that could not be read',
  nested: 'repositories of their own',
} as const;

/** Keeps count of what was left out, and tells it in one sentence. */
export interface LeftOut {
  add(reason: Reason, name: string): void;
  /** Not everything was even looked at. */
  stop(): void;
  notices(): readonly string[];
}

const MAX_NAMES = 5;
const MAX_NAME_CHARS = 100;

/** `from`: in whose place it would stand, such as a folder. */
export function createLeftOut(from: string): LeftOut {
  const counts = new Map<Reason, { count: number; names: string[] }>();
  let isWhole = true;
  return {
    add(reason, name) {
      const known = counts.get(reason) ?? { count: 0, names: [] };
      known.count++;
      if (known.names.length < MAX_NAMES) known.names.push(oneLine(name, MAX_NAME_CHARS));
      counts.set(reason, known);
    },
    stop() {
      isWhole = false;
    },
    notices() {
      const parts = [...counts].map(([reason, { count, names }]) => {
        const list = count > names.length ? `${names.join(', ')}, …` : names.join(', ');
        return `${count} ${WORDS[reason]} (${list})`;
      });
      const where = oneLine(from, MAX_NAME_CHARS);
      return [
        ...(parts.length > 0 ? [`Left out of ${where}: ${parts.join('; ')}.`] : []),
        ...(isWhole
          ? []
          : [`${where} holds more than ${MAX_ENTRIES} names: the others were not looked at.`]),
      ];
    },
  };
}
