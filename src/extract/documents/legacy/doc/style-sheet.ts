import type { ByteView } from '../byte-view.ts';
import type { FileInformation } from './file-information.ts';

export interface StyleSheet {
  headingLevel(style: number): number | undefined;
  list(style: number): 'bullet' | 'number' | undefined;
}

interface StoredStyle {
  /** The number of a style that comes with Word. */
  readonly builtIn: number;
  readonly base: number;
}

const TITLE = 62;
const LIST_BULLETS = new Set([48, 54, 55, 56, 57]);
const LIST_NUMBERS = new Set([49, 58, 59, 60, 61]);
const MAX_INHERITANCE = 12;

/** The styles of a document; a damaged style sheet has none. */
export function readStyleSheet(table: ByteView, information: FileInformation): StyleSheet {
  const styles = readStyles(table, information);
  const chain = function* (style: number): Generator<number> {
    let next = style;
    for (let step = 0; step < MAX_INHERITANCE; step++) {
      const stored = styles[next];
      if (stored === undefined) return;
      yield stored.builtIn;
      next = stored.base;
    }
  };
  return {
    headingLevel: (style) => {
      for (const builtIn of chain(style)) {
        if (builtIn >= 1 && builtIn <= 9) return builtIn;
        if (builtIn === TITLE) return 1;
      }
      return undefined;
    },
    list: (style) => {
      for (const builtIn of chain(style)) {
        if (LIST_BULLETS.has(builtIn)) return 'bullet';
        if (LIST_NUMBERS.has(builtIn)) return 'number';
      }
      return undefined;
    },
  };
}

function readStyles(
  table: ByteView,
  information: FileInformation,
): readonly (StoredStyle | undefined)[] {
  const { at, length } = information.range('styles');
  if (length < 6 || at + length > table.length) return [];
  const sheet = table.sub(at, length);
  const count = sheet.u16(2);
  const styles: (StoredStyle | undefined)[] = [];
  let next = 2 + sheet.u16(0);
  for (let index = 0; index < count && next + 2 <= sheet.length; index++) {
    const size = sheet.u16(next);
    const isStored = size >= 6 && next + 2 + size <= sheet.length;
    styles.push(
      isStored
        ? { builtIn: sheet.u16(next + 2) & 0xfff, base: sheet.u16(next + 4) >> 4 }
        : undefined,
    );
    next += 2 + size + (size & 1);
  }
  return styles;
}
