/** Promises about searches of the web and reading of pages. */
export const WEB_REQUIREMENTS = {
  'web:search':
    'web_search returns numbered results with title, address, date and snippet, within its filters, from the first provider that can search.',
  'web:upstream':
    'web_search asks the tool of an MCP server first where one is set, with the rights of the caller, and a provider where that fails.',
  'web:faults':
    'Searches and readers survive every fault of a provider: by a retry, by the next provider, or with one typed error; each request is an attempt with its breadcrumb.',
  'web:charged':
    'A search or a page that costs money is in the usage, and a spent budget refuses it before it is sent.',
  'web:lists': 'The lists of models and offline mode apply to searches and readers.',
  'web:read':
    'read_web returns the main text of a page that this machine fetched from a public address; a provider reads public pages that this machine cannot, unless the caller refuses.',
  'web:private': 'No address that is private, or that fails as private, is given to a provider.',
  'web:data': 'Text of the web is between marks that it cannot contain, and is named as data.',
  'web:citations':
    'Every citation of an answer with a search resolves to a result that was returned; others are marked or left out, with a notice.',
} as const;
