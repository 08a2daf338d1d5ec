import * as z from 'zod';
import { CallError } from '#core/errors/call-error.ts';
import type { ListedUpload, UploadExchanges } from '#core/files/uploads.ts';
import { fix } from '#core/messages/fixes.ts';
import type { Clock } from '#core/time/clock.ts';
import { defineTool } from '#core/tools/define-tool.schema.ts';
import type { Tool } from '#core/tools/tool.ts';
import { createFileExchanges, uploadOwner, type FileExchanges } from './exchange.ts';

const DAY_MS = 86_400_000;
const MAX_SHOWN = 1000;

const FileShape = z.strictObject({
  file_id: z.string(),
  name: z.string(),
  bytes: z.number(),
  purpose: z.string(),
  created_at: z.string(),
  sha256: z.string().optional(),
  clients: z.array(z.string()).optional(),
});

/** Lists and deletes files at Kimi. A client finds its own files alone. */
export function kimiManageFiles(deps: {
  readonly uploads: UploadExchanges;
  readonly clock: Pick<Clock, 'now'>;
}): Tool {
  return defineTool({
    name: 'kimi_manage_files',
    title: 'Files at Kimi',
    description:
      'List, show and delete your files at Kimi; cleanup deletes those that EX-AI uploaded and that are older than older_than_days. Asks no model.',
    input: z.strictObject({
      action: z
        .enum(['list', 'get', 'delete', 'cleanup'])
        .default('list')
        .describe('What to do (default: list). cleanup deletes old files.'),
      file_id: z.string().min(1).max(256).optional().describe('For get and delete.'),
      older_than_days: z.number().min(0).max(10_000).optional().describe('For cleanup.'),
      limit: z.int().min(1).max(MAX_SHOWN).default(100).describe('Files to list (default: 100).'),
    }),
    output: z.strictObject({
      action: z.string(),
      files: z.array(FileShape),
      total: z.number(),
      deleted: z.array(z.string()).optional(),
      failed: z.array(z.string()).optional(),
    }),
    effect: 'destroys',
    idempotent: true,
    openWorld: true,
    affinity: 'kimi',
    profile: 'full',
    pool: 'provider',
    async run({ action, file_id: id, older_than_days: days, limit }, context) {
      const exchanges = createFileExchanges(deps.uploads, 'kimi', context);
      const owner = uploadOwner('kimi', context);
      const list = () => exchanges.run((uploads, own) => uploads.list(owner, own));
      switch (action) {
        case 'list': {
          const files = await list();
          return answer(action, files, exchanges, limit);
        }
        case 'get': {
          const wanted = required(id, 'file_id', action);
          const found = (await list()).filter(({ fileId }) => fileId === wanted);
          if (found.length === 0) throw unknown(wanted);
          return answer(action, found, exchanges, limit);
        }
        case 'delete': {
          const wanted = required(id, 'file_id', action);
          await exchanges.run((uploads, own) => uploads.delete(wanted, owner, own));
          return answer(action, [], exchanges, limit, { deleted: [wanted], failed: [] });
        }
        case 'cleanup': {
          const before = deps.clock.now() - required(days, 'older_than_days', action) * DAY_MS;
          const old = (await list()).filter(
            ({ createdAtMs, sha256 }) => sha256 !== undefined && createdAtMs <= before,
          );
          const deleted: string[] = [];
          const failed: string[] = [];
          for (const { fileId } of old) {
            try {
              await exchanges.run((uploads, own) => uploads.delete(fileId, owner, own));
              deleted.push(fileId);
            } catch (thrown) {
              if (CallError.from(thrown).class === 'cancelled') throw thrown;
              failed.push(fileId);
            }
          }
          return answer(action, [], exchanges, limit, { deleted, failed });
        }
      }
    },
  });
}

function answer(
  action: string,
  files: readonly ListedUpload[],
  { reports }: FileExchanges,
  limit: number,
  done?: { readonly deleted: readonly string[]; readonly failed: readonly string[] },
) {
  const shown = files.slice(0, limit).map(toShape);
  const lines = shown.map(
    ({ file_id: id, name, bytes, created_at: at }) => `${id}  ${name}  ${bytes} bytes  ${at}`,
  );
  const said = done && [
    `${done.deleted.length} deleted${done.deleted.length > 0 ? `: ${done.deleted.join(', ')}` : ''}.`,
    ...(done.failed.length > 0 ? [`Not deleted: ${done.failed.join(', ')}.`] : []),
  ];
  return {
    text: (said ?? (lines.length > 0 ? lines : ['There are no files.'])).join('\n'),
    content: { action, files: shown, total: files.length, ...done },
    askReports: reports,
  };
}

function toShape({ fileId, createdAtMs, principals, ...file }: ListedUpload) {
  const { name, bytes, purpose, sha256 } = file;
  return {
    file_id: fileId,
    name,
    bytes,
    purpose,
    created_at: new Date(createdAtMs).toISOString(),
    ...(sha256 !== undefined && { sha256 }),
    ...(principals && { clients: [...principals] }),
  };
}

function required<T>(value: T | undefined, argument: string, action: string): T {
  if (value !== undefined) return value;
  throw new CallError('validation', `"${argument}" is missing: ${action} needs it.`, {
    field: argument,
    fixes: [fix('set_argument', { argument })],
  });
}

function unknown(id: string): CallError {
  return new CallError('not_found', `You have uploaded no file ${id} to Kimi.`, {
    field: 'file_id',
    fix: 'List your files with `action: list`.',
  });
}
