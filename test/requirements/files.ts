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
    'Files are kept for retention.filesDays after their last use; what a killed daemon left of a file is removed.',
  'files:backup': 'A backup has the content of every file, and restores it on both engines.',
  'files:open':
    'A file that a caller names is opened within its folders alone, and is the file that was checked.',
  'files:save':
    'A file is saved whole or not at all, and only in allowed folders, the folder of the run and the roots of the owner’s clients.',
  'files:workspaces':
    'The owner may name files in EXAI_HOME/workspaces; the rest of EXAI_HOME stays closed.',
} as const;
