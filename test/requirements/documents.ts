/** Promises about documents that are read: PDF, office files, mail, text. */
export const DOCUMENT_REQUIREMENTS = {
  'documents:reading-order':
    'The text of a page is read column by column, in the order of a reader.',
  'documents:tables':
    'Tables of a document become Markdown tables; the cells of a row stay together.',
  'documents:places': 'Each part of a document knows its page, slide, sheet or section.',
  'documents:scanned':
    'Pages that are pictures without text are named; no text is invented for them.',
  'documents:encodings':
    'Text of any common encoding is read; a guessed encoding is named in a notice.',
  'documents:formats':
    'The bytes decide what a document is; a wrong extension or type is corrected with a notice, and a file without text is refused by its name.',
  'documents:hostile':
    'A hostile document takes time in proportion to its size, or is refused with a typed error; memory is bounded.',
} as const;
