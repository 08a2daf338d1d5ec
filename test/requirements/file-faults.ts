/** Promises about files under faults, and in plans. */
export const FILE_FAULT_REQUIREMENTS = {
  'planner:files': 'planner takes files, and keeps them for later questions of the conversation.',
  'uploads:refused-once':
    'A content that a provider could not extract is not uploaded again for six hours, unless it is forced; another content is.',
  'uploads:counted':
    'Uploads of a question count as requests to providers; half of those are kept for the answer.',
  'files:faults':
    'file_chat, kimi_multi_file_chat and chat answer about files under every fault of a provider, by another model or locally.',
} as const;
