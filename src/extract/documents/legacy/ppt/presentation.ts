import type { ByteView } from '../byte-view.ts';
import type { PersistDirectory } from './persist-directory.ts';
import { childrenOf, descendantsOf, PPT, recordAt, type PptRecord } from './record-tree.ts';
import {
  readComments,
  readFooters,
  readSlideItems,
  readSlideTexts,
  type SlideItem,
  type SlideText,
} from './slide-texts.ts';

export interface PresentationSlide {
  readonly items: readonly SlideItem[];
  readonly notes: readonly string[];
  readonly comments: readonly string[];
  readonly footers: readonly string[];
}

const SLIDES = 0;
const NOTES = 2;

interface ListedSlide {
  readonly object: number;
  readonly id: number;
  readonly outline: readonly SlideText[];
}

/** The slides in their order; of a damaged presentation, in the order they were saved. */
export function readSlides(
  stream: ByteView,
  directory: PersistDirectory | undefined,
): readonly PresentationSlide[] {
  const offset = directory?.offsets.get(directory.document);
  const document = offset === undefined ? undefined : recordAt(stream, offset);
  if (directory === undefined || document?.type !== PPT.document) return readSaved(stream);
  const objectAt = (number: number, type: number): PptRecord | undefined => {
    const at = directory.offsets.get(number);
    const record = at === undefined ? undefined : recordAt(stream, at);
    return record?.type === type ? record : undefined;
  };
  const notes = new Map(listed(document.body, NOTES).map((each) => [each.id, each]));
  const slides = listed(document.body, SLIDES);
  return slides.map(({ object, outline }) => {
    const slide = objectAt(object, PPT.slide);
    if (slide === undefined) return outlineOnly(outline);
    const notesEntry = notes.get(notesIdOf(slide.body));
    const notesPage = notesEntry && objectAt(notesEntry.object, PPT.notes);
    return readSlide(slide.body, outline, notesPage?.body, notesEntry?.outline ?? []);
  });
}

/** Slides of a list in the document: each entry is followed by the texts of its outline. */
function listed(document: ByteView, list: number): readonly ListedSlide[] {
  const found: ListedSlide[] = [];
  for (const record of childrenOf(document)) {
    if (record.type !== PPT.slideList || record.instance !== list) continue;
    let texts: PptRecord[] = [];
    let entry: PptRecord | undefined;
    const end = (): void => {
      if (entry !== undefined && entry.body.length >= 16)
        found.push({
          object: entry.body.u32(0),
          id: entry.body.u32(12),
          outline: readOutline(texts),
        });
    };
    for (const child of childrenOf(record.body)) {
      if (child.type === PPT.slidePersist) {
        end();
        entry = child;
        texts = [];
      } else texts.push(child);
    }
    end();
  }
  return found;
}

/** By their headers: shapes refer to a text by its number, and an empty one has a header only. */
function readOutline(records: readonly PptRecord[]): readonly SlideText[] {
  const texts: SlideText[] = [];
  let group: PptRecord[] = [];
  const end = (): void => {
    if (group.length > 0) texts.push(readSlideTexts(group)[0] ?? { role: 'other', text: '' });
    group = [];
  };
  for (const record of records) {
    if (record.type === PPT.textHeader) end();
    group.push(record);
  }
  end();
  return texts;
}

function notesIdOf(slide: ByteView): number {
  for (const { type, body } of childrenOf(slide))
    if (type === PPT.slideAtom && body.length >= 20) return body.u32(16);
  return 0;
}

function outlineOnly(outline: readonly SlideText[]): PresentationSlide {
  const items = outline.map((text): SlideItem => ({ is: 'text', ...text }));
  return { items, notes: [], comments: [], footers: [] };
}

function readSlide(
  slide: ByteView,
  outline: readonly SlideText[],
  notesPage: ByteView | undefined,
  notesOutline: readonly SlideText[],
): PresentationSlide {
  const items = readSlideItems(slide, outline);
  const shown = new Set(items.map((item) => (item.is === 'text' ? item.text : '')));
  const left = outline.filter(({ text }) => text.trim() !== '' && !shown.has(text));
  const notes = notesPage === undefined ? [] : readSlideItems(notesPage, notesOutline);
  return {
    items: [...items, ...left.map((text): SlideItem => ({ is: 'text', ...text }))],
    notes: notes.flatMap((item) => (item.is === 'text' ? [item.text] : [])),
    comments: readComments(slide),
    footers: readFooters(slide),
  };
}

function readSaved(stream: ByteView): readonly PresentationSlide[] {
  const slides: PresentationSlide[] = [];
  for (const record of childrenOf(stream))
    if (record.type === PPT.slide) slides.push(readSlide(record.body, [], undefined, []));
  if (slides.some(({ items }) => items.length > 0)) return slides;
  const texts = readSlideTexts(descendantsOf(stream));
  return texts.length === 0 ? slides : [outlineOnly(texts)];
}
