/** Every table a backup carries, parents before children, each with the key it is read by. Word indexes are made anew. */
export const TABLES = [
  { name: 'settings', key: ['name'] },
  { name: 'clients', key: ['id'] },
  { name: 'conversations', key: ['id'] },
  { name: 'turns', key: ['id'] },
  { name: 'files', key: ['id'] },
  { name: 'provider_files', key: ['sha256', 'provider', 'account', 'purpose'] },
  { name: 'call_anchors', key: ['writer_id'] },
  { name: 'calls', key: ['writer_id', 'seq'] },
  { name: 'attempts', key: ['req_id', 'attempt'] },
  { name: 'usage', key: ['id'] },
  { name: 'usage_days', key: ['principal', 'day', 'provider', 'model'] },
  { name: 'breakers', key: ['name'] },
  { name: 'jobs', key: ['id'] },
  { name: 'pins', key: ['server', 'tool'] },
] as const satisfies readonly { name: string; key: readonly string[] }[];

export type TableName = (typeof TABLES)[number]['name'];
