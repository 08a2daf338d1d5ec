import { CallError } from '#core/errors/call-error.ts';
import type { ByteView } from '../byte-view.ts';
import type { FileInformation } from './file-information.ts';

export interface ListMarkers {
  /** The marker of the next item of a list; `undefined` for a paragraph without one. */
  next(list: number, level: number): string | undefined;
}

interface ListLevel {
  readonly start: number;
  readonly kind: 'bullet' | 'number' | 'none';
}

const BULLET = 23;
const NONE = 255;
const LEVELS = 9;

/** Bullets and numbers as the document counts them; damaged definitions give bullets. */
export function createListMarkers(table: ByteView, information: FileInformation): ListMarkers {
  const definitions = read(() => readDefinitions(table, information)) ?? new Map();
  const overrides = read(() => readOverrides(table, information)) ?? [];
  const counters = new Map<number, number[]>();
  return {
    next: (list, level) => {
      if (list === 0 || list > 0x7fff) return undefined;
      const id = overrides[list - 1] ?? -list;
      const levels: readonly ListLevel[] | undefined = definitions.get(id);
      const own = levels?.[level] ?? levels?.[0];
      if (own === undefined || own.kind === 'bullet') return '-';
      if (own.kind === 'none') return undefined;
      const counts = counters.get(id) ?? [];
      counters.set(id, counts);
      const count = (counts[level] ?? own.start - 1) + 1;
      counts.length = Math.min(counts.length, level);
      counts[level] = count;
      return `${count}.`;
    },
  };
}

function read<Value>(parse: () => Value): Value | undefined {
  try {
    return parse();
  } catch (error) {
    if (error instanceof CallError) return undefined;
    throw error;
  }
}

function readDefinitions(
  table: ByteView,
  information: FileInformation,
): ReadonlyMap<number, readonly ListLevel[]> {
  const { at, length } = information.range('lists');
  const definitions = new Map<number, readonly ListLevel[]>();
  if (length < 2) return definitions;
  const count = table.u16(at);
  // The levels follow the list of definitions, outside of its stated length.
  let next = at + 2 + count * 28;
  for (let index = 0; index < count; index++) {
    const from = at + 2 + index * 28;
    const levels: ListLevel[] = [];
    const isSimple = (table.u8(from + 26) & 1) === 1;
    for (let level = 0; level < (isSimple ? 1 : LEVELS); level++) {
      const format = table.u8(next + 4);
      levels.push({
        start: table.u32(next),
        kind: format === BULLET ? 'bullet' : format === NONE ? 'none' : 'number',
      });
      next += 28 + table.u8(next + 24) + table.u8(next + 25);
      next += 2 + table.u16(next) * 2;
    }
    definitions.set(table.u32(from), levels);
  }
  return definitions;
}

/** Paragraphs name an override, which names a definition. */
function readOverrides(table: ByteView, information: FileInformation): readonly number[] {
  const { at, length } = information.range('listOverrides');
  if (length < 4) return [];
  const count = Math.min(table.u32(at), Math.floor((length - 4) / 16));
  return Array.from({ length: count }, (_, index) => table.u32(at + 4 + index * 16));
}
