/** Promises about files and their bytes. */
export const FILES_REQUIREMENTS = {
  'files:bytes':
    'Every byte of a stored file comes back, whole or from any offset, on both engines.',
  'files:once': 'Files of equal content share one copy, which goes with the last of them.',
  'files:owner': 'A file is found by its owner alone.',
  'files:whole':
    'A file is stored whole or not at all, also when its source fails or the daemon is killed.',
  'files:flat-memory': 'Files of any size are written and read with flat memory.',
  'files:between-parts': 'Other writes are committed while a large file is stored.',
  'files:retention':
    'Files are kept for retention.filesDays after their last use, texts of documents as long at most; what a killed daemon left of a file is removed.',
  'files:backup': 'A backup has the content of every file, and restores it on both engines.',
  'files:open':
    'A file that a caller names is opened within its folders alone, and is the file that was checked.',
  'files:save':
    'A file is saved whole or not at all, and only in allowed folders, the folder of the run and the roots of the owner’s clients.',
  'files:workspaces':
    'The owner may name files in EXAI_HOME/workspaces; the rest of EXAI_HOME stays closed.',
  'files:forms':
    'A file by path, folder, pattern, content, data URL, resource or stored id is the same file: its provider request is identical, byte by byte.',
  'files:clients':
    'Files in every form reach a provider as one and the same request, through the SDK in both eras, HTTP, stdio, WebSocket, and under the older names of tools.',
  'files:not-on-disk':
    'No content of a caller’s file is written anywhere but the store: the daemon opens no other file for writing than its own.',
  'files:kept':
    'The second question of a conversation finds the pictures and the inline files of the first, after a restart, too.',
  'files:secrets':
    'Texts that would leave the machine are scanned for secrets; a finding names the rule and the line, never the secret.',
  'files:refused':
    'Invalid base64, files over a limit, too many files, image bombs and devices are refused with a typed error, before anything is stored.',
  'files:jobs': 'A job keeps ids of stored files in place of contents, so that it can be rerun.',
  'files:drives': 'Paths of Windows and WSL are mapped by files.driveMappings, and then checked.',
} as const;
