/** Promises about what is read of web pages. */
export const EXTRACT_REQUIREMENTS = {
  'extract:markdown-checks':
    'Headings, lists, code, tables, quotations, images and links of a page become valid GitHub Markdown.',
  'extract:no-text-lost': 'Every visible word of the chosen part of a page is in its Markdown.',
  'extract:code-exact': 'The text of a code block is in the Markdown byte for byte.',
  'extract:hidden-text': 'Text that a page hides from its readers is not extracted.',
  'extract:hostile-pages':
    'A hostile page takes time in proportion to its size, or is refused with `too_large`; nothing is shortened.',
  'extract:encodings':
    'A page is decoded by its byte order mark, its declared charset, its own, or its bytes.',
  'extract:metadata':
    'Title, author, date, language, site, canonical URL and kind of a page are in the result.',
  'extract:recovery':
    'Text that a page carries in <noscript>, JSON-LD or embedded state is read, and a page without text is reported.',
  'extract:threads':
    'Documents are read in threads with limits of time and memory; a thread that exceeds one is replaced, and the daemon stays responsive.',
  'extract:page-cache':
    'A page that was checked within 15 minutes is not requested again, an older one only transferred if it changed; the cache is bounded.',
  'extract:read': '`exai read` prints the main text of a file, a URL or standard input.',
} as const;
