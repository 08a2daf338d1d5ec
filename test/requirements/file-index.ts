/** Promises about the index of files. */
export const FILE_INDEX_REQUIREMENTS = {
  'index:finds':
    'The index finds the passages that match a query best, in English and in scripts without spaces, with page, slide, sheet, section or lines.',
  'index:incremental':
    'A file whose content is known is not indexed again; a changed one replaces its earlier version at once.',
  'index:own': 'Each principal finds, lists and removes its own files alone.',
  'index:interrupted':
    'A run that was killed leaves nothing that is found, and what it left is removed; what was committed stays.',
  'index:commands':
    '`exai index` adds files, folders and patterns, searches, lists, updates and removes them, and follows .gitignore.',
  'index:vectors':
    'With files.embeddings a search finds passages by meaning besides words; only new passages are embedded; without the model everything is found by words, with a notice; an English model has no vote on other languages.',
  'index:offline-model':
    'The offline model is loaded in a thread only when it is used; without its packages the user is told what to install.',
  'index:hostile':
    'Files with words or lines of megabytes, bytes that are no text, text without spaces or from right to left are indexed in bounded passages, and found.',
  'file_chat:passages':
    'A question about files that no context window holds is answered from the passages that match it best, with checked citations.',
} as const;
