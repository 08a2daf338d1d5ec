interface Table {
  readonly name: string;
  /** The columns that order its rows, as far as the schema version has them. */
  readonly key: readonly string[];
  /** Columns whose text is JSON. */
  readonly json: readonly string[];
}

/**
 * Every table in a backup, parents before children. Search indexes are rebuilt; cached pages are
 * left out, because they can be fetched again.
 */
export const TABLES = [
  { name: 'settings', key: ['name'], json: ['value'] },
  { name: 'clients', key: ['id'], json: ['scopes'] },
  { name: 'conversations', key: ['id'], json: ['state'] },
  { name: 'turns', key: ['id'], json: ['files', 'usage'] },
  { name: 'contents', key: ['id'], json: [] },
  { name: 'content_parts', key: ['content_id', 'at'], json: [] },
  { name: 'files', key: ['id'], json: [] },
  { name: 'provider_files', key: ['sha256', 'provider', 'account', 'purpose'], json: [] },
  {
    name: 'provider_file_owners',
    key: ['sha256', 'provider', 'account', 'purpose', 'principal'],
    json: [],
  },
  { name: 'call_anchors', key: ['writer_id'], json: [] },
  { name: 'calls', key: ['writer_id', 'seq'], json: ['detail'] },
  { name: 'attempts', key: ['req_id', 'attempt'], json: [] },
  { name: 'usage', key: ['id'], json: [] },
  {
    name: 'usage_days',
    key: ['day', 'principal', 'client', 'tool', 'provider', 'model'],
    json: [],
  },
  { name: 'breakers', key: ['name'], json: ['state'] },
  {
    name: 'jobs',
    key: ['id'],
    json: ['input', 'checkpoint', 'progress', 'result', 'error', 'asks'],
  },
  { name: 'results', key: ['id'], json: [] },
  { name: 'result_parts', key: ['result_id', 'at'], json: [] },
  { name: 'responses', key: ['id'], json: ['input', 'response'] },
  { name: 'index_files', key: ['id'], json: [] },
  { name: 'index_segments', key: ['id'], json: [] },
  { name: 'index_runs', key: ['segment_id', 'first'], json: [] },
  { name: 'index_postings', key: ['id'], json: [] },
  { name: 'index_texts', key: ['id'], json: [] },
  { name: 'index_vectors', key: ['segment_id', 'at'], json: [] },
  { name: 'index_folders', key: ['principal', 'source'], json: [] },
  // `candidate`: of schemas before 16.
  { name: 'pins', key: ['server', 'tool'], json: ['definition', 'candidate', 'findings'] },
  { name: 'pin_candidates', key: ['server', 'tool'], json: ['definition', 'findings'] },
  { name: 'pin_sets', key: ['server'], json: [] },
] as const satisfies readonly Table[];
