/** Promises about uploads to providers. */
export const UPLOADS_REQUIREMENTS = {
  'uploads:cache':
    'Equal contents are uploaded to a provider once: across calls, tools, names and restarts.',
  'uploads:shared': 'Uploads of one content at the same time are one request.',
  'uploads:forgotten':
    'A file that the provider has forgotten is uploaded again, once, and its text stays known.',
  'uploads:clean':
    'After a failed extraction, and after an upload whose answer is lost, nothing is left at the provider, or in the cache.',
  'uploads:supply':
    'Kimi gets the text that it extracts from an upload, every other model the local text; plain text is never uploaded.',
  'uploads:fallback':
    'If a provider fails at the upload, at its text or in its answer, the next model answers with its own supply of the files.',
  'uploads:local-text':
    'If only the extraction fails, the local text is used, with a notice that says so.',
  'uploads:scans': 'Scans are read by a provider that recognises text, once for each content.',
  'uploads:scope':
    'Documents reach only the providers of the plan: nothing is uploaded offline, or to a provider whose models are not allowed.',
  'uploads:retention':
    'Uploads without a use for retention.filesDays are deleted at the provider; what a provider does not delete is kept and tried again.',
  'uploads:told': 'The first upload to a provider says what goes where.',
  'uploads:attempts':
    'A failed upload is an attempt in the envelope, in the records and for the breaker.',
  'uploads:purposes':
    'The purpose assistants becomes file-extract at Kimi and agent at GLM, with a notice.',
  'uploads:owner': 'A file id of another client is refused as unknown.',
  'uploads:unchanged': 'A file that changes while it is uploaded is refused and deleted again.',
  'uploads:trace': 'kimi_capture_headers writes a trace in the export format of MoonPalace.',
} as const;
