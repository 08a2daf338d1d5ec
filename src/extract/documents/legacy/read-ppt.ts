import type { DocumentPart } from '#core/extract/document.ts';
import { notice } from '#core/messages/notices.ts';
import { damaged, needsPassword, unsupported } from '../document-errors.ts';
import { FlowWriter, withoutControls } from '../flow-writer.ts';
import { escapeInline } from '../inline-builder.ts';
import type { FormatReader } from '../reader.ts';
import { ByteView } from './byte-view.ts';
import { CompoundFile } from './compound-file.ts';
import { isInRange } from './page-range.ts';
import { readPersistDirectory } from './ppt/persist-directory.ts';
import { readSlides, type PresentationSlide } from './ppt/presentation.ts';
import type { SlideText } from './ppt/slide-texts.ts';
import { hasEncryptedPackage, readEncryptedPackage } from './encryption/encrypted-package.ts';
import { readSummary } from './property-set.ts';

const FORMAT = 'PowerPoint';

/** Reads presentations (.ppt) of PowerPoint 97 to 2003; a slide is a part. */
export const readPpt: FormatReader = (bytes, source) => {
  const file = new CompoundFile(bytes);
  if (hasEncryptedPackage(file)) return readEncryptedPackage(file, source, FORMAT);
  if (file.find('EncryptedSummary') !== undefined) throw needsPassword(FORMAT, 'missing');
  const entry = file.findAnywhere('PowerPoint Document');
  if (entry === undefined)
    throw file.findAnywhere('PP40') === undefined
      ? damaged(FORMAT, 'it has no slides')
      : unsupported(FORMAT, 'it is of PowerPoint 95 or older; save it as .pptx');
  const stream = new ByteView(file.read(entry), FORMAT);
  const userEntry = file.findAnywhere('Current User');
  const user = userEntry === undefined ? new Uint8Array() : file.read(userEntry);
  const directory = readPersistDirectory(stream, new ByteView(user, FORMAT));
  const slides = readSlides(stream, directory);
  const parts = slides.flatMap((slide, at): readonly DocumentPart[] =>
    isInRange(at + 1, source.pages)
      ? [{ place: { is: 'slide', slide: at + 1 }, markdown: writeSlide(slide) }]
      : [],
  );
  const notices = file.isTruncated
    ? [notice('document_part_damaged', { part: 'the end of the file' })]
    : [];
  return { ...readSummary(file), pageCount: slides.length, parts, notices };
};

function writeSlide({ items, notes, comments, footers }: PresentationSlide): string {
  const flow = new FlowWriter();
  for (const item of items) {
    if (item.is === 'text') writeText(flow, item);
    else {
      for (const row of item.rows) flow.row(row.map(clean));
      flow.block('');
    }
  }
  writeExtra(flow, 'Notes', notes.filter(isShown));
  writeExtra(flow, 'Comments', comments);
  for (const footer of footers.filter(isShown)) flow.paragraph({ text: clean(footer) });
  return flow.finish();
}

function writeText(flow: FlowWriter, { role, text }: SlideText): void {
  if (!isShown(text)) return;
  if (role === 'title') flow.paragraph({ text: clean(text), headingLevel: 1 });
  else {
    const paragraphs = text.split('\r');
    for (const paragraph of paragraphs)
      flow.paragraph({
        text: clean(paragraph),
        ...(role === 'body' && paragraphs.length > 1 && { list: { level: 0, marker: '-' } }),
      });
    flow.block('');
  }
}

function writeExtra(flow: FlowWriter, name: string, texts: readonly string[]): void {
  if (texts.length === 0) return;
  flow.paragraph({ text: `${name}:` });
  for (const text of texts)
    for (const paragraph of text.split('\r')) flow.paragraph({ text: clean(paragraph) });
}

/** A field such as the number of the slide is stored as an asterisk. */
function isShown(text: string): boolean {
  return text.trim() !== '' && text.trim() !== '*';
}

function clean(text: string): string {
  return escapeInline(withoutControls(text.replace(/[\r\v]/g, '\n')));
}
