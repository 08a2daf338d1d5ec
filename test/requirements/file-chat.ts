/** Promises about questions about files, and about stored files as resources. */
export const FILE_CHAT_REQUIREMENTS = {
  'file_chat:checked':
    'Every citation of file_chat is checked: the file, the place, and the quoted words at that place.',
  'file_chat:marked':
    'A citation that cannot be verified is marked in the answer, and content.citations has its problem.',
  'file_chat:forging':
    'Neither the text nor the name of a file can forge a citation, a place or a mark.',
  'file_chat:whole':
    'Files are given whole, or as passages where no window holds them, never cut; an error lists the size of each and the window.',
  'file_chat:stable': 'A second question about the same files sends the same prefix.',
  'file_chat:continues': 'A conversation of file_chat finds its files again, in any tool.',
  'files:resource':
    'A stored file is an MCP resource of its owner; for every other client it does not exist.',
  'files:commands':
    '`exai files` adds, lists, shows, gets, deletes and prunes the owner’s stored files.',
} as const;
