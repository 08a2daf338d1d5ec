import { extractHtml } from '../../html/extract-html.ts';
import { readWholePage } from '../../html/whole-page.ts';
import type { FormatReader } from '../reader.ts';

/**
 * A web page. `page` has its main text. The part of a page with an address is that main text, as
 * readers of the web want it; of a file it is everything that is shown, as nothing else of the file
 * would be read.
 */
export const readHtml: FormatReader = (bytes, source) => {
  const page = extractHtml(bytes, source);
  const { title, author, date, language } = page;
  const markdown =
    source.url === undefined ? withTitle(title, readWholePage(bytes, source)) : page.markdown;
  return {
    ...(title !== undefined && { title }),
    ...(author !== undefined && { author }),
    ...(date !== undefined && { date }),
    ...(language !== undefined && { language }),
    parts: [{ place: { is: 'document' }, markdown }],
    notices: [],
    page,
  };
};

/** The title is shown in the window, and often nowhere else. */
function withTitle(title: string | undefined, markdown: string): string {
  if (title === undefined || letters(markdown).includes(letters(title))) return markdown;
  return `# ${title}\n\n${markdown}`;
}

function letters(text: string): string {
  return text.replace(/[^\p{L}\p{N}]+/gu, '').toLowerCase();
}
