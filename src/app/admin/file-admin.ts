import { CallError } from '#core/errors/call-error.ts';
import { OWNER_PRINCIPAL } from '#core/auth/principal.ts';
import type {
  CopiesDeletion,
  DeletedFile,
  FileList,
  FilePiece,
  FileSummary,
  ProviderCopies,
  PruneResult,
} from '#core/files/file-admin.ts';
import { fileIdOf, fileUri } from '#core/files/file-input.ts';
import { isId, type NewId } from '#core/ids.ts';
import type { FileStore, StoredFile } from '#core/stores/files.ts';
import { oneLine } from '#core/text/text.ts';
import type { OwnFile } from '../files/open-own-file.ts';

export interface FileAdminDeps {
  readonly files: FileStore;
  readonly newId: NewId;
  /** 0: files are kept forever. */
  readonly retentionDays: number;
  /** Absent where nothing is uploaded. */
  readonly copies?: ProviderCopies;
  readonly open: (path: string) => Promise<OwnFile>;
}

/** The stored files of the owner. */
export interface FileAdmin {
  list(page: { readonly limit?: number; readonly before?: string }): Promise<FileList>;
  show(id: string): Promise<FileSummary>;
  add(path: string): Promise<FileSummary>;
  content(id: string, offset: number): Promise<FilePiece>;
  delete(id: string): Promise<DeletedFile>;
  prune(beforeMs: number, mode: PruneResult['mode']): Promise<PruneResult>;
}

const DEFAULT_LISTED = 20;
const PAGE = 100;
const DAY_MS = 86_400_000;
const PIECE_BYTES = 1_048_576;
const MAX_ADDED_BYTES = 1_000_000_000;
const MAX_PREVIEWED = 100;
const NO_COPIES: CopiesDeletion = { deleted: 0, shared: 0, failed: [] };

export function createFileAdmin(deps: FileAdminDeps): FileAdmin {
  const { files, newId, copies, open } = deps;
  const principal = OWNER_PRINCIPAL;

  async function summaries(rows: readonly StoredFile[]): Promise<FileSummary[]> {
    const known = rows.length > 0 ? await copies?.list(principal) : undefined;
    return rows.map((row) => ({
      id: row.id,
      uri: fileUri(row.id),
      name: row.name,
      mime: row.mime,
      bytes: row.bytes,
      sha256: row.sha256,
      created: new Date(row.createdAt).toISOString(),
      used: new Date(row.usedAt).toISOString(),
      ...(deps.retentionDays > 0 && {
        expires: new Date(row.usedAt + deps.retentionDays * DAY_MS).toISOString(),
      }),
      copies: known?.get(row.sha256) ?? [],
    }));
  }

  async function summary(row: StoredFile): Promise<FileSummary> {
    const [one] = await summaries([row]);
    if (!one) throw notThere(row.id);
    return one;
  }

  async function find(given: string): Promise<StoredFile> {
    const id = fileIdOf(given.trim()) ?? given.trim();
    const row = isId(id, 'file') ? await files.get(id, principal) : undefined;
    if (!row) throw notThere(id);
    return row;
  }

  /** Copies stay while another file of the owner has the same content. */
  async function deleteCopies(sha256: string): Promise<CopiesDeletion> {
    if (!copies) return NO_COPIES;
    for await (const row of all()) if (row.sha256 === sha256) return NO_COPIES;
    return copies.delete(sha256, principal);
  }

  async function* all(): AsyncIterable<StoredFile> {
    for (let before: string | undefined; ;) {
      const page = await files.list(principal, PAGE, before);
      yield* page;
      before = page.at(-1)?.id;
      if (page.length < PAGE || before === undefined) return;
    }
  }

  return {
    async list({ limit = DEFAULT_LISTED, before }) {
      const rows = await files.list(principal, limit + 1, before);
      const next = rows.length > limit ? rows[limit - 1]?.id : undefined;
      return { files: await summaries(rows.slice(0, limit)), ...(next !== undefined && { next }) };
    },
    show: async (id) => summary(await find(id)),
    async add(path) {
      const opened = await open(path);
      const { name, mime, chunks } = opened;
      try {
        const id = newId('file');
        const about = { id, principal, name, mime };
        return await summary(await files.write(about, chunks, { maxBytes: MAX_ADDED_BYTES }));
      } finally {
        await opened.close();
      }
    },
    async content(given, offset) {
      const { id } = await find(given);
      const content = await files.read(id, principal, { offset, length: PIECE_BYTES });
      if (!content) throw notThere(id);
      const parts: Uint8Array[] = [];
      for await (const chunk of content.chunks) parts.push(chunk);
      const base64 = Buffer.concat(parts).toString('base64');
      return { base64, offset, bytes: content.file.bytes };
    },
    async delete(given) {
      const row = await find(given);
      const file = await summary(row);
      await files.delete(row.id, principal);
      return { file, copies: await deleteCopies(row.sha256) };
    },
    async prune(beforeMs, mode) {
      const old: StoredFile[] = [];
      for await (const row of all()) if (row.usedAt < beforeMs) old.push(row);
      const shown = await summaries(old.slice(0, MAX_PREVIEWED));
      const result = {
        mode,
        before: new Date(beforeMs).toISOString(),
        count: old.length,
        bytes: old.reduce((sum, { bytes }) => sum + bytes, 0),
        files: shown,
      };
      if (mode === 'preview') return result;
      for (const { id } of old) await files.delete(id, principal);
      let deletion = NO_COPIES;
      for (const sha256 of new Set(old.map((row) => row.sha256))) {
        deletion = addUp(deletion, await deleteCopies(sha256));
      }
      return { ...result, copies: deletion };
    },
  };
}

function addUp(a: CopiesDeletion, b: CopiesDeletion): CopiesDeletion {
  return {
    deleted: a.deleted + b.deleted,
    shared: a.shared + b.shared,
    failed: [...a.failed, ...b.failed],
  };
}

function notThere(id: string): CallError {
  return new CallError('not_found', `There is no file ${oneLine(id, 64)}.`, {
    field: 'id',
    fix: 'List yours with: exai files list',
  });
}
