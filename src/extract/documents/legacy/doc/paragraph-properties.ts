import type { ByteView } from '../byte-view.ts';
import type { FileInformation } from './file-information.ts';
import { findRun, readRuns, visitChanges, type PropertyRun } from './property-changes.ts';
import type { StyleSheet } from './style-sheet.ts';

export interface ParagraphProperties {
  readonly isInTable: boolean;
  readonly isRowEnd: boolean;
  /** How many tables the paragraph is in. */
  readonly depth: number;
  readonly headingLevel?: number;
  /** The number of its list, from 1. */
  readonly list?: number;
  readonly listLevel: number;
  readonly style: number;
}

const PLAIN: ParagraphProperties = {
  isInTable: false,
  isRowEnd: false,
  depth: 0,
  listLevel: 0,
  style: 0,
};

const CHANGES = {
  style: 0x4600,
  listLevel: 0x260a,
  list: 0x460b,
  isInTable: 0x2416,
  isRowEnd: 0x2417,
  outlineLevel: 0x2640,
  depth: 0x6649,
  largeChanges: 0x6646,
  largeChangesOld: 0x6645,
} as const;

export interface ParagraphReader {
  /** Whether the document says anything about its paragraphs. */
  readonly isKnown: boolean;
  /** Of the paragraph whose mark is at a byte. */
  at(offset: number): ParagraphProperties;
}

export function createParagraphReader(
  document: ByteView,
  table: ByteView,
  data: ByteView,
  information: FileInformation,
  styles: StyleSheet,
): ParagraphReader {
  const runs = readRuns(document, table, information.range('paragraphPages'));
  const known = new Map<PropertyRun, ParagraphProperties>();
  return {
    isKnown: runs.length > 0,
    at: (offset) => {
      const run = findRun(runs, offset);
      if (run === undefined) return PLAIN;
      const properties = known.get(run) ?? readProperties(run, data, styles);
      known.set(run, properties);
      return properties;
    },
  };
}

function readProperties(run: PropertyRun, data: ByteView, styles: StyleSheet): ParagraphProperties {
  const { page } = run;
  const at = page.u8((run.runs + 1) * 4 + run.index * 13) * 2;
  if (at === 0) return withStyle(0, new Map(), styles);
  const words = page.u8(at);
  const from = words === 0 ? at + 2 : at + 1;
  const length = words === 0 ? page.u8(at + 1) * 2 : words * 2 - 1;
  const stored = page.sub(from, Math.min(length, page.length - from));
  if (stored.length < 2) return PLAIN;
  const values = new Map<number, number>();
  collect(stored.sub(2, stored.length - 2), values);
  const large = values.get(CHANGES.largeChanges) ?? values.get(CHANGES.largeChangesOld);
  if (large !== undefined && large + 2 <= data.length)
    collect(data.sub(large + 2, Math.min(data.u16(large), data.length - large - 2)), values);
  return withStyle(values.get(CHANGES.style) ?? stored.u16(0), values, styles);
}

function collect(changes: ByteView, values: Map<number, number>): void {
  visitChanges(changes, (change, at) => {
    const kind = change >> 13;
    if (kind === 3) values.set(change, changes.u32(at));
    else if (kind === 2 || kind === 4 || kind === 5) values.set(change, changes.u16(at));
    else values.set(change, changes.u8(at));
  });
}

function withStyle(
  style: number,
  values: ReadonlyMap<number, number>,
  styles: StyleSheet,
): ParagraphProperties {
  const outline = values.get(CHANGES.outlineLevel);
  const headingLevel =
    outline !== undefined && outline < 9 ? outline + 1 : styles.headingLevel(style);
  const list = values.get(CHANGES.list);
  const isInTable = values.get(CHANGES.isInTable) === 1;
  return {
    isInTable,
    isRowEnd: values.get(CHANGES.isRowEnd) === 1,
    depth: values.get(CHANGES.depth) ?? (isInTable ? 1 : 0),
    listLevel: Math.min(values.get(CHANGES.listLevel) ?? 0, 8),
    style,
    ...(headingLevel !== undefined && { headingLevel }),
    ...(list !== undefined && { list }),
  };
}
