import type { DocumentContent, DocumentPart, DocumentSource } from '#core/extract/document.ts';
import { CallError } from '#core/errors/call-error.ts';
import { notice, type Notice } from '#core/messages/notices.ts';
import { damaged, tooLarge } from '../document-errors.ts';
import type { FormatReader } from '../reader.ts';
import { readDocumentData } from './document-data.ts';
import type { Line } from './lines.ts';
import { openPdf } from './open-pdf.ts';
import { readPageLayout, type PageLayout } from './page-layout.ts';
import { renderPage } from './page-text.ts';
import type { PdfDocument } from './pdf-library.ts';
import { createRunningLines } from './running-lines.ts';
import { FEW_CHARACTERS, hasPictures, isPicture } from './scanned.ts';
import { requireStreamSizes } from './stream-sizes.ts';
import { createSizeCount } from './size-count.ts';

const FORMAT = 'PDF';
const MAX_PAGES = 20_000;
const MAX_CHARACTERS = 100_000_000;
/** The sizes of these pages decide what is a heading from the first page on. */
const FIRST_PAGES = 8;

export const readPdf: FormatReader = async (bytes, source, use) => {
  // Looking for what is not there takes minutes in a large file.
  if (!Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).includes('obj'))
    throw damaged(FORMAT, 'it has no objects');
  requireStreamSizes(bytes);
  const picturesPresent = hasPictures(bytes);
  const pdf = await openPdf(bytes, source.password, use);
  try {
    const content = await readOpened(pdf, picturesPresent, source);
    await pdf.loadingTask.destroy();
    return content;
  } catch (thrown) {
    // Of a page that is still being read, it never settles.
    pdf.loadingTask.destroy().catch(() => undefined);
    if (thrown instanceof CallError) throw thrown;
    throw damaged(FORMAT, 'its pages are not valid', thrown);
  }
};

async function readOpened(
  pdf: PdfDocument,
  picturesPresent: boolean,
  source: DocumentSource,
): Promise<DocumentContent> {
  const numbers = pageNumbers(pdf.numPages, source);
  const { bookmarks, ...data } = await readDocumentData(pdf);
  const sizes = createSizeCount();
  const running = createRunningLines();
  const parts: DocumentPart[] = [];
  const scanned: number[] = [];
  const notices: Notice[] = [];
  let waiting: [number, PageLayout][] = [];
  let characters = 0;
  const render = (): void => {
    const style = {
      bodySize: sizes.mostUsed(),
      bookmarks,
      isRunning: (line: Line) => running.has(line),
    };
    for (const [number, layout] of waiting)
      parts.push({ place: { is: 'page', page: number }, markdown: renderPage(layout, style) });
    waiting = [];
  };
  for (const number of numbers) {
    const layout = await readNumber(pdf, number, async (page) => {
      const read = await readPageLayout(page);
      if (read.characters < FEW_CHARACTERS && picturesPresent)
        if (await isPicture(page, read.characters).catch(() => false)) scanned.push(number);
      return read;
    });
    if (layout === undefined) {
      notices.push(notice('document_part_damaged', { part: `page ${number}` }));
      parts.push({ place: { is: 'page', page: number }, markdown: '' });
      continue;
    }
    characters += layout.characters;
    if (characters > MAX_CHARACTERS) throw tooLarge('characters', MAX_CHARACTERS);
    sizes.add(layout);
    running.add(layout);
    waiting.push([number, layout]);
    if (number >= FIRST_PAGES) render();
  }
  render();
  if (parts.length > 0 && notices.length === parts.length)
    throw damaged(FORMAT, 'none of its pages can be read');
  if (scanned.length > 0)
    notices.push(notice('document_pages_scanned', { pages: scanned, total: numbers.length }));
  const { attachments, ...fields } = data;
  if (attachments.length > 0)
    notices.push(notice('document_parts_not_read', { parts: attachments }));
  return {
    ...fields,
    pageCount: pdf.numPages,
    parts: parts.toSorted((a, b) => pageOf(a) - pageOf(b)),
    notices,
  };
}

function pageOf({ place }: DocumentPart): number {
  return place.is === 'page' ? place.page : 0;
}

function pageNumbers(count: number, { pages }: DocumentSource): number[] {
  const first = Math.max(1, pages?.first ?? 1);
  const last = Math.min(count, pages?.last ?? count);
  if (last - first + 1 > MAX_PAGES) throw tooLarge('pages', MAX_PAGES);
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, at) => first + at);
}

/** Reads one page; nothing if it is damaged. */
async function readNumber<Result>(
  pdf: PdfDocument,
  number: number,
  read: (page: Awaited<ReturnType<PdfDocument['getPage']>>) => Promise<Result>,
): Promise<Result | undefined> {
  try {
    const page = await pdf.getPage(number);
    const result = await read(page);
    page.cleanup();
    return result;
  } catch (thrown) {
    if (thrown instanceof CallError) throw thrown;
    return undefined;
  }
}
