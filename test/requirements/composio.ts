/** Promises about Composio, whose tools appear as mcp__composio__…, and about its emulator. */
export const COMPOSIO_REQUIREMENTS = {
  'composio:session':
    'With a key, Composio is a server whose address comes from a session of the user, which is made again when it has ended.',
  'composio:tools':
    'Tools of connected accounts are listed page by page; every other tool of Composio is called by its name, and checked by its schema.',
  'composio:names':
    "The seed project's names of arguments are understood beside the vendor's: to, attachments, channel, text, num_results, file_path and content.",
  'composio:errors':
    'A failure of a tool of Composio is a tool error; a batch that half fails keeps its good items and reports each failed one.',
  'composio:large':
    'What Composio offloads comes inline up to 5 MB; more stays remote with its path, and a preview is never taken for the answer.',
  'composio:accounts':
    'A tool without a connected account gives the link that the user opens; a client that can open it is asked to.',
  'composio:pins':
    'Tools of Composio that no list has are scanned and pinned with their first call, and quarantined when they change.',
  'composio:sdk': "Composio's own SDK works against the emulator unchanged.",
} as const;
