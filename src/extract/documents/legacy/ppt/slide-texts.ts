import { Buffer } from 'node:buffer';
import type { ByteView } from '../byte-view.ts';
import { decodeUtf16 } from '../byte-view.ts';
import { childrenOf, descendantsOf, PPT, type PptRecord } from './record-tree.ts';

export interface SlideText {
  readonly role: 'title' | 'body' | 'notes' | 'other';
  readonly text: string;
}

/** What a slide shows, in the order of its shapes. */
export type SlideItem =
  | ({ readonly is: 'text' } & SlideText)
  | { readonly is: 'table'; readonly rows: readonly (readonly string[])[] };

const ROLES = [
  'title',
  'body',
  'notes',
  'other',
  'other',
  'body',
  'title',
  'body',
  'body',
] as const;
const MAX_GROUP_DEPTH = 40;
const IS_TABLE = 0x039f;

/** The texts among records: a header states the role of the one that follows it. */
export function readSlideTexts(records: Iterable<PptRecord>): readonly SlideText[] {
  const texts: SlideText[] = [];
  let role: SlideText['role'] = 'other';
  for (const { type, body } of records) {
    if (type === PPT.textHeader && body.length >= 4) role = ROLES[body.u32(0)] ?? 'other';
    else {
      const text = textOfRecord(type, body);
      if (text !== undefined) texts.push({ role, text });
    }
  }
  return texts;
}

export function textOfRecord(type: number, body: ByteView): string | undefined {
  if (type === PPT.textChars || type === PPT.cString) return decodeUtf16(body.bytes);
  return type === PPT.textBytes
    ? Buffer.from(body.bytes.buffer, body.bytes.byteOffset, body.length).toString('latin1')
    : undefined;
}

/** Reads the shapes of a slide; `outline` are its texts in the list of slides. */
export function readSlideItems(
  slide: ByteView,
  outline: readonly SlideText[],
): readonly SlideItem[] {
  const items: SlideItem[] = [];
  for (const drawing of childrenOf(slide))
    if (drawing.type === PPT.drawing)
      for (const art of childrenOf(drawing.body))
        if (art.type === PPT.artDrawing) readGroup(art.body, outline, items, 0);
  return items;
}

function readGroup(
  group: ByteView,
  outline: readonly SlideText[],
  items: SlideItem[],
  depth: number,
): void {
  for (const record of childrenOf(group)) {
    if (record.type === PPT.artShape)
      for (const text of shapeTexts(record.body, outline)) items.push({ is: 'text', ...text });
    if (record.type === PPT.artGroup && depth < MAX_GROUP_DEPTH) {
      const rows = isTable(record.body) ? readTable(record.body, outline) : [];
      if (rows.length > 0) items.push({ is: 'table', rows });
      else readGroup(record.body, outline, items, depth + 1);
    }
  }
}

function shapeTexts(shape: ByteView, outline: readonly SlideText[]): readonly SlideText[] {
  for (const record of childrenOf(shape)) {
    if (record.type !== PPT.artClientText) continue;
    const stored = readSlideTexts(childrenOf(record.body));
    if (stored.length > 0) return stored;
    for (const { type, body } of childrenOf(record.body)) {
      const referenced =
        type === PPT.outlineReference && body.length >= 4 ? outline[body.u32(0)] : undefined;
      if (referenced !== undefined) return [referenced];
    }
  }
  return [];
}

/** The first shape of a group is the group itself, with its properties. */
function isTable(group: ByteView): boolean {
  for (const shape of childrenOf(group)) {
    for (const { type, instance, body } of childrenOf(shape.body)) {
      if (type !== PPT.artTertiaryOptions) continue;
      const count = Math.min(instance, Math.floor(body.length / 6));
      for (let at = 0; at < count; at++)
        if ((body.u16(at * 6) & 0x3fff) === IS_TABLE) return (body.u32(at * 6 + 2) & 1) === 1;
    }
    return false;
  }
  return false;
}

interface TableCell {
  readonly left: number;
  readonly top: number;
  readonly text: string;
}

/** Cells with the same upper edge are a row. */
function readTable(group: ByteView, outline: readonly SlideText[]): readonly (readonly string[])[] {
  const cells: TableCell[] = [];
  for (const shape of childrenOf(group)) {
    if (shape.type !== PPT.artShape) continue;
    const anchor = [...childrenOf(shape.body)].find(({ type }) => type === PPT.artChildAnchor);
    if (anchor === undefined || anchor.body.length < 16) continue;
    const texts = shapeTexts(shape.body, outline);
    const isCell = [...childrenOf(shape.body)].some(({ type }) => type === PPT.artClientText);
    if (isCell)
      cells.push({
        left: anchor.body.i32(0),
        top: anchor.body.i32(4),
        text: texts.map(({ text }) => text.replace(/[\r\v]/g, '\n')).join('\n'),
      });
  }
  const columns = [...new Set(cells.map(({ left }) => left))].toSorted((a, b) => a - b);
  const rows = new Map<number, TableCell[]>();
  for (const cell of cells) {
    const row = rows.get(cell.top);
    if (row === undefined) rows.set(cell.top, [cell]);
    else row.push(cell);
  }
  return [...rows.entries()]
    .toSorted(([a], [b]) => a - b)
    .map(([, row]) => {
      const byColumn = new Map(row.map(({ left, text }) => [left, text]));
      return columns.map((left) => byColumn.get(left) ?? '');
    });
}

/** Comments of reviewers: each has an author and a text. */
export function readComments(slide: ByteView): readonly string[] {
  const comments: string[] = [];
  const isRead = ({ isContainer, type }: PptRecord): boolean =>
    (isContainer && type !== PPT.drawing) || type === PPT.binaryTagData;
  for (const { type, body } of descendantsOf(slide, isRead)) {
    if (type !== PPT.comment) continue;
    const strings = new Map<number, string>();
    for (const child of childrenOf(body))
      if (child.type === PPT.cString) strings.set(child.instance, decodeUtf16(child.body.bytes));
    const text = strings.get(1) ?? '';
    const author = strings.get(0) ?? '';
    if (text !== '') comments.push(author === '' ? text : `${author}: ${text}`);
  }
  return comments;
}

/** The footer of a slide, or of all slides. */
export function readFooters(container: ByteView): readonly string[] {
  const footers: string[] = [];
  for (const { type, body } of childrenOf(container))
    if (type === PPT.headersFooters)
      for (const child of childrenOf(body))
        if (child.type === PPT.cString) footers.push(decodeUtf16(child.body.bytes));
  return footers;
}
