import type { DocumentPart } from '#core/extract/document.ts';
import { notice, type Notice } from '#core/messages/notices.ts';
import { collectBlocks } from '../../html/blocks/collect-blocks.ts';
import { decodeHtml } from '../../html/decode.ts';
import { HTML_LIMITS } from '../../html/limits.ts';
import type { Addresses } from '../../html/markdown/addresses.ts';
import { writeMarkdown } from '../../html/markdown/write-markdown.ts';
import { parseHtml } from '../../html/tree/parse.ts';
import { isPageSelected } from '../office/select-pages.ts';
import { isDamage } from '../ooxml/ooxml-package.ts';
import type { FormatReader } from '../reader.ts';
import type { ZipArchive } from '../zip/zip-archive.ts';
import { openEpub } from './epub-package.ts';

/** Books: a part for each file of the reading order. */
export const readEpub: FormatReader = (bytes, source) => {
  const { archive, properties, chapters, titles } = openEpub(bytes);
  const notices: Notice[] = [];
  const parts: DocumentPart[] = [];
  chapters.forEach((name, at) => {
    const section = at + 1;
    if (!isPageSelected(section, source.pages)) return;
    const markdown = readChapter(archive, name);
    if (markdown === undefined) notices.push(notice('document_part_damaged', { part: name }));
    const title = titles.get(name);
    parts.push({
      place: { is: 'section', section, ...(title !== undefined && { title }) },
      markdown: markdown ?? '',
    });
  });
  return { ...properties, pageCount: chapters.length, parts, notices };
};

/** `undefined` for a chapter that is missing or damaged. */
function readChapter(archive: ZipArchive, name: string): string | undefined {
  try {
    const bytes = archive.read(name);
    if (bytes === undefined) return undefined;
    const tree = parseHtml(decodeHtml(bytes, undefined), HTML_LIMITS, 'xhtml');
    const { blocks } = collectBlocks(tree, { noscript: 'skip', hiddenFrom: Infinity });
    return writeMarkdown(blocks, ADDRESSES);
  } catch (error) {
    if (!isDamage(error)) throw error;
    return undefined;
  }
}

/** Links inside of the book lead nowhere once it is text; pictures are named if they are described. */
const ADDRESSES: Addresses = {
  link: (href) => (href !== undefined && /^(?:https?|mailto):/i.test(href) ? href : undefined),
  image: (image) => ((image.get('alt') ?? '').trim() === '' ? undefined : image.get('src')),
};
