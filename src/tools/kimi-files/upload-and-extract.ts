import * as z from 'zod';
import { CallError } from '#core/errors/call-error.ts';
import type { FileIntake } from '#core/files/file-intake.ts';
import type { CheckSentTexts } from '#core/files/sent-texts.ts';
import type { UploadExchanges } from '#core/files/uploads.ts';
import { distinctNotices, notice, type Notice } from '#core/messages/notices.ts';
import { kimi } from '#core/providers/kimi.ts';
import { MODEL_TOOL_TIMEOUT_MS } from '#core/time/call-times.ts';
import { defineTool } from '#core/tools/define-tool.schema.ts';
import type { Tool, ToolContext } from '#core/tools/tool.ts';
import { toFileInputs } from '../shared/attachments.ts';
import * as fields from '../shared/fields.ts';
import { noticeFields, renderNotices } from '../shared/notices.ts';
import { createFileExchanges, type FileExchanges } from './exchange.ts';
import { filesToUpload, type FileToSend } from './files-to-upload.ts';

export interface KimiFilesDeps {
  readonly uploads: UploadExchanges;
  readonly fileIntake: FileIntake;
  /** Absent: texts of uploads are not scanned again. */
  readonly checkSentTexts?: CheckSentTexts;
}

const USUAL = 'file-extract';

interface Extracted {
  readonly name: string;
  readonly status: 'ready' | 'pending' | 'failed';
  readonly sha256: string;
  readonly cached: boolean;
  readonly file_id?: string;
  readonly chars?: number;
  readonly text?: string;
  readonly error_class?: string;
  readonly error?: string;
}

/** Uploads files to Kimi, which extracts their texts. */
export function kimiUploadAndExtract({ uploads, fileIntake }: KimiFilesDeps): Tool {
  return defineTool({
    name: 'kimi_upload_and_extract',
    title: 'Upload to Kimi',
    description:
      'Upload documents to Kimi, which extracts their text (OCR included). Returns file ids for kimi_multi_file_chat; a content is uploaded once. Asks no model.',
    help: 'Each file comes back with file_id, status (ready, pending, failed), sha256 and cached: whether nothing had to be sent. A content that Kimi could not extract is not sent again for six hours, unless force is true. chat and file_chat upload by themselves, so this is needed only for ids.',
    input: z.strictObject({
      files: fields.filesField.min(1),
      purpose: z
        .enum([USUAL, 'assistants'])
        .default(USUAL)
        .describe('assistants is the same as file-extract (default).'),
      force: z.boolean().default(false).describe('Try again what Kimi could not extract before.'),
      include_text: z.boolean().default(false).describe('Return the texts, too.'),
    }),
    output: z.strictObject({
      files: z.array(
        z.strictObject({
          name: z.string(),
          status: z.enum(['ready', 'pending', 'failed']),
          sha256: z.string(),
          cached: z.boolean(),
          file_id: z.string().optional(),
          chars: z.number().optional(),
          text: z.string().optional(),
          error_class: z.string().optional(),
          error: z.string().optional(),
        }),
      ),
    }),
    effect: 'changes',
    idempotent: true,
    openWorld: true,
    affinity: 'kimi',
    profile: 'full',
    pool: 'provider',
    timeoutMs: MODEL_TOOL_TIMEOUT_MS,
    resumable: true,
    async run(args, context) {
      const loaded = await fileIntake.load(toFileInputs(args.files), { field: 'files' }, context);
      if ('inputRequests' in loaded) return loaded;
      const exchanges = createFileExchanges(uploads, 'kimi', context);
      const files = filesToUpload(loaded, 'files');
      const notices: Notice[] = [...loaded.notices, ...purposeNotices(args.purpose)];
      let done = 0;
      const results = await Promise.all(
        files.map(async (file) => {
          const result = await extract({ file, force: args.force }, exchanges, context, notices);
          done += 1;
          context.progress({ note: `${file.name} is uploaded`, done, total: files.length });
          return result;
        }),
      );
      requireOne(results);
      const shown = results.map(({ shown: { text, ...result } }) => ({
        ...result,
        ...(args.include_text && text !== undefined && { text }),
      }));
      const distinct = distinctNotices(notices);
      return {
        text: `${shown.map(render).join('\n')}${renderNotices(distinct)}`,
        content: { files: shown },
        askReports: exchanges.reports,
        ...noticeFields(distinct),
      };
    },
  });
}

async function extract(
  { file, force }: { readonly file: FileToSend; readonly force: boolean },
  exchanges: FileExchanges,
  context: ToolContext,
  notices: Notice[],
): Promise<{ readonly shown: Extracted; readonly failure?: CallError }> {
  const { name, sha256, size } = file;
  let sent = 0;
  try {
    const request = { ...file, provider: 'kimi', principal: context.caller.principal } as const;
    const extracted = await exchanges.run((uploads, own) =>
      uploads.extract(request, force ? 'new_try' : 'id', {
        ...own,
        onSent(bytes) {
          sent = Math.min(size, sent + bytes);
          context.progress({ note: `uploading ${name}: ${Math.floor((sent / size) * 100)} %` });
        },
      }),
    );
    notices.push(...extracted.notices);
    const { fileId, state, isCached, text } = extracted;
    const chars = text.length;
    const file_id = fileId;
    return {
      shown: { name, status: state, sha256, cached: isCached, file_id, chars, text },
    };
  } catch (thrown) {
    const failure = CallError.from(thrown);
    if (failure.class === 'cancelled') throw failure;
    const { class: errorClass, message } = failure;
    const error = { error_class: errorClass, error: message };
    return { shown: { name, status: 'failed', sha256, cached: false, ...error }, failure };
  }
}

/** One failure among others is part of the result; where nothing succeeded, it is the result. */
function requireOne(results: readonly { readonly failure?: CallError }[]): void {
  const [first] = results;
  if (first?.failure && results.every(({ failure }) => failure)) throw first.failure;
}

function purposeNotices(given: string): readonly Notice[] {
  if (given === USUAL) return [];
  return [notice('upload_purpose_changed', { provider: kimi.title, given, used: USUAL })];
}

function render({ name, status, file_id: id, cached, chars, error, text }: Extracted): string {
  if (status === 'failed') return `${name}: failed. ${error ?? ''}`;
  const line = `${name}: ${id} (${status}, ${chars} characters${cached ? ', uploaded before' : ''})`;
  return text === undefined ? line : `${line}\n${text}`;
}
