import * as z from 'zod';
import type { FileIndex, FoundPassage, FoundPassages } from '#core/files/file-index.ts';
import { roundScore } from '#core/files/index-admin.ts';
import { describePassagePlace } from '#core/files/passage.ts';
import { notice } from '#core/messages/notices.ts';
import { formatQuantity } from '#core/text/format.ts';
import { defineTool } from '#core/tools/define-tool.schema.ts';
import type { Tool } from '#core/tools/tool.ts';
import { toFileInputs } from './shared/attachments.ts';
import * as fields from './shared/fields.ts';
import { noticeFields, renderNotices } from './shared/notices.ts';

const MAX_QUERY_CHARS = 4_000;
const DEFAULT_LIMIT = 10;
const MAX_LIMIT = 50;
const TIMEOUT_MS = 1_800_000;

const SEARCH_FILES_HELP = `What comes back:
- content.passages: the passages that match best, each with file, source, place (page, slide, sheet, section or lines), heading, text, score and state; a stale file has changed or is gone since it was indexed.
- content.searched: how many files and passages were searched.

No model is asked. Without files, the files that exai index add has added are searched; files that are given are indexed first, and read again only if their content has changed. Each client finds its own files alone.`;

/** Finds passages of files, without a model. */
export function searchFiles({ fileIndex }: { readonly fileIndex: FileIndex }): Tool {
  return defineTool({
    name: 'search_files',
    title: 'Search files',
    description: 'Find passages in files. Asks no model.',
    help: SEARCH_FILES_HELP,
    input: z.strictObject({
      query: z.string().min(1).max(MAX_QUERY_CHARS).describe('Words.'),
      files: fields.filesField.optional().describe('Default: the indexed files.'),
      limit: z
        .int()
        .min(1)
        .max(MAX_LIMIT)
        .optional()
        .describe(`Passages (default: ${DEFAULT_LIMIT}).`),
    }),
    output: z.strictObject({
      passages: z.array(
        z.strictObject({
          file: z.string(),
          source: z.string(),
          place: z.string(),
          heading: z.string().optional(),
          text: z.string(),
          score: z.number(),
          state: z.enum(['current', 'stale']),
        }),
      ),
      searched: z.strictObject({ files: z.number(), passages: z.number() }),
    }),
    effect: 'reads',
    profile: 'full',
    timeoutMs: TIMEOUT_MS,
    resumable: true,
    async run({ query, files, limit = DEFAULT_LIMIT }, context) {
      const { principal } = context.caller;
      const indexed =
        files &&
        (await fileIndex.add(
          toFileInputs(files),
          {
            field: 'files',
            origin: 'asked',
            onProgress: ({ done, total, name }) =>
              context.progress({ note: `indexing ${name}`, done, total }),
          },
          context,
        ));
      if (indexed && 'inputRequests' in indexed) return indexed;
      const fileIds = indexed?.files.map(({ id }) => id);
      const found = await fileIndex.search(
        { query, limit, ...(fileIds && { fileIds }) },
        principal,
        context.signal,
      );
      const notices = [
        ...(indexed?.notices ?? []),
        ...found.notices,
        ...(found.searched.files === 0 ? [notice('index_empty', {})] : []),
      ];
      return {
        text: `${passagesText(query, found)}${renderNotices(notices)}`,
        content: {
          passages: found.passages.map(toContent),
          searched: found.searched,
        },
        ...noticeFields(notices),
      };
    },
  });
}

function toContent(passage: FoundPassage) {
  const { file, place, heading, text } = passage;
  return {
    file: file.name,
    source: file.source,
    place: describePassagePlace(place),
    ...(heading !== undefined && { heading }),
    text,
    score: roundScore(passage),
    state: file.state,
  };
}

function passagesText(query: string, { passages, searched }: FoundPassages): string {
  const where = `${formatQuantity(searched.passages, 'passage')} of ${formatQuantity(searched.files, 'file')}`;

  if (passages.length === 0) return `No passage matches "${query.slice(0, 200)}" in ${where}.`;
  const found = passages.map(({ file, place, heading, text }, at) => {
    const under = heading === undefined ? '' : `, under "${heading}"`;
    const stale = file.state === 'stale' ? ' (stale: changed or gone since it was indexed)' : '';
    return `[${at + 1}] ${file.name}, ${describePassagePlace(place)}${under}${stale}\n${text}`;
  });
  return `The best ${passages.length} of ${where}:\n\n${found.join('\n\n')}`;
}
