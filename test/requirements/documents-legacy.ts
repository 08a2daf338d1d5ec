/** Promises about what is read of old Office formats, rich text, mails and archives. */
export const LEGACY_DOCUMENT_REQUIREMENTS = {
  'documents:legacy-office':
    'The text of .doc, .xls and .ppt files is read with its tables, notes, sheets and slides.',
  'documents:encrypted-package':
    'An encrypted Office document is refused with words about its password, and opened with it.',
  'documents:rtf': 'Rich text is read in every code page, with tables, lists, notes and links.',
  'documents:mail':
    'Mails are read with their decoded header, best alternative, forwarded mails and names of attachments.',
  'documents:archive': 'Archives are listed with names, sizes and dates; a text in gzip is read.',
  'documents:legacy-hostile':
    'A damaged document of these formats gives text or a typed error, in bounded time and memory.',
} as const;
