/** Promises about what is read of Office, OpenDocument and EPUB files. */
export const DOCUMENTS_OFFICE_REQUIREMENTS = {
  'documents-office:text':
    'Every text of a Word, PowerPoint, Excel, OpenDocument or EPUB file is in its Markdown: tables, lists with their numbers, notes, comments, text boxes, charts.',
  'documents-office:tracked-changes': 'Inserted text is read, and deleted text is left out.',
  'documents-office:places': 'Slides, sheets and chapters are read in order and one by one.',
  'documents-office:values':
    'Cells have the values that the program calculated, with dates in ISO 8601 and percentages as they are shown.',
  'documents-office:hidden': 'Hidden sheets and slides are read and named in a notice.',
  'documents-office:hostile':
    'Archives that unpack to too much, entities, and damaged files take bounded memory and end in a typed error.',
  'documents-office:encrypted': 'An encrypted document is refused, and the error says why.',
} as const;
