import type { GatewayFiles, GatewayFilesRequest } from '#core/llm/gateway.ts';
import type { StoredFile } from '#core/stores/files.ts';
import { isAbsent, readChoice, readInteger } from '../fields.ts';
import { requirePurpose } from './read-form.ts';

/** How the API of a vendor writes files and reads the query of their list. */
export interface FileStyle {
  readonly purpose: 'required' | 'none';
  writeFile(file: StoredFile): string;
  writeDeleted(id: string): string;
  readQuery(query: URLSearchParams): GatewayFilesRequest;
  writeFiles(files: GatewayFiles, query: URLSearchParams): string;
}

const OPENAI_MAX = 10_000;
/** Beyond OpenAI's own default, a page would be megabytes. */
const OPENAI_DEFAULT = 1000;
const ORDERS = ['asc', 'desc'] as const;
const DEFAULT_PURPOSE = 'user_data';

export const OPENAI_FILES: FileStyle = {
  purpose: 'required',
  writeFile: (file) => JSON.stringify(openAiFile(file)),
  writeDeleted: (id) => JSON.stringify({ id, object: 'file', deleted: true }),
  readQuery(query) {
    const limit = readInteger(numberIn(query, 'limit'), 'limit', 1, OPENAI_MAX);
    const order = readChoice(query.get('order'), 'order', ORDERS);
    const [after, purpose] = [query.get('after'), query.get('purpose')];
    if (purpose !== null) requirePurpose(purpose);
    return {
      limit: limit ?? OPENAI_DEFAULT,
      order: order === 'asc' ? 'oldest_first' : 'newest_first',
      ...(!isAbsent(after) && { after }),
      ...(!isAbsent(purpose) && { purpose }),
    };
  },
  writeFiles: ({ files, hasMore }) =>
    JSON.stringify({
      object: 'list',
      data: files.map(openAiFile),
      ...ends(files),
      has_more: hasMore,
    }),
};

function openAiFile({ id, bytes, createdAt, name, purpose = DEFAULT_PURPOSE }: StoredFile): object {
  return {
    id,
    object: 'file',
    bytes,
    created_at: Math.floor(createdAt / 1000),
    expires_at: null,
    filename: name,
    purpose,
    status: 'processed',
    status_details: null,
  };
}

const ANTHROPIC_MAX = 1000;
const ANTHROPIC_DEFAULT = 20;

export const ANTHROPIC_FILES: FileStyle = {
  purpose: 'none',
  writeFile: (file) => JSON.stringify(anthropicFile(file)),
  writeDeleted: (id) => JSON.stringify({ id, type: 'file_deleted' }),
  readQuery(query) {
    const limit = readInteger(numberIn(query, 'limit'), 'limit', 1, ANTHROPIC_MAX);
    const [after, before] = [query.get('after_id'), query.get('before_id')];
    const last = before ?? after;
    return {
      limit: limit ?? ANTHROPIC_DEFAULT,
      // The page before an entry is read backwards from it.
      order: before === null ? 'newest_first' : 'oldest_first',
      ...(last !== null && { after: last }),
    };
  },
  writeFiles({ files, hasMore }, query) {
    const page = query.has('before_id') ? files.toReversed() : files;
    return JSON.stringify({ data: page.map(anthropicFile), ...ends(page), has_more: hasMore });
  },
};

function anthropicFile({ id, bytes, createdAt, name, mime }: StoredFile): object {
  return {
    id,
    type: 'file',
    filename: name,
    mime_type: mime,
    size_bytes: bytes,
    created_at: new Date(createdAt).toISOString(),
    downloadable: true,
  };
}

function ends(files: readonly StoredFile[]): object {
  return { first_id: files[0]?.id ?? null, last_id: files.at(-1)?.id ?? null };
}

function numberIn(query: URLSearchParams, name: string): unknown {
  const text = query.get(name);
  if (text === null) return undefined;
  return /^\d{1,9}$/.test(text) ? Number(text) : text;
}
