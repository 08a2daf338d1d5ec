import type { DocumentPart, DocumentPlace, ReadDocument } from './document.ts';

/** `page 3`, `sheet "Costs"`; undefined for a document without pages. */
export function describePlace(place: DocumentPlace): string | undefined {
  switch (place.is) {
    case 'page':
      return `page ${place.page}`;
    case 'slide':
      return `slide ${place.slide}`;
    case 'sheet':
      return `sheet "${place.sheet}"`;
    case 'section':
      return place.title === undefined
        ? `section ${place.section}`
        : `section ${place.section}: ${place.title}`;
    case 'document':
      return undefined;
  }
}

/** The whole text. Each part that has a place begins with a comment that names it. */
export function documentMarkdown({ parts }: Pick<ReadDocument, 'parts'>): string {
  return parts.map(partMarkdown).join('\n\n');
}

/** The whole text, without the comments. */
export function documentText({ parts }: Pick<ReadDocument, 'parts'>): string {
  return parts.map(({ markdown }) => markdown).join('\n\n');
}

function partMarkdown({ place, markdown }: DocumentPart): string {
  const name = describePlace(place);
  // A comment ends at the first `-->`, and a title is the document's own text.
  return name === undefined ? markdown : `<!-- ${name.replaceAll('-->', '→')} -->\n\n${markdown}`;
}
