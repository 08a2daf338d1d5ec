import * as z from 'zod';
import { CallError } from '#core/errors/call-error.ts';
import { notice } from '#core/messages/notices.ts';
import { glm } from '#core/providers/glm.ts';
import { MODEL_TOOL_TIMEOUT_MS } from '#core/time/call-times.ts';
import { defineTool } from '#core/tools/define-tool.schema.ts';
import type { Tool } from '#core/tools/tool.ts';
import { toFileInputs } from '../shared/attachments.ts';
import * as fields from '../shared/fields.ts';
import { noticeFields, renderNotices } from '../shared/notices.ts';
import { createFileExchanges } from './exchange.ts';
import { filesToUpload } from './files-to-upload.ts';
import type { KimiFilesDeps } from './upload-and-extract.ts';

const USUAL = 'agent';
const PURPOSES = ['agent', 'assistants', 'file-extract', 'batch'] as const;

/** Uploads a file to GLM. */
export function glmUploadFile({ uploads, fileIntake }: KimiFilesDeps): Tool {
  return defineTool({
    name: 'glm_upload_file',
    title: 'Upload to GLM',
    description:
      'Upload one file to GLM (Z.ai) for its agents and batches; a content is uploaded once. Questions about files need no upload: use chat.',
    input: z.strictObject({
      file: fields.filesField.element.describe('A path, or an object as in files of chat.'),
      purpose: z
        .enum(PURPOSES)
        .default(USUAL)
        .describe('assistants is the same as agent (default).'),
    }),
    output: z.strictObject({
      name: z.string(),
      file_id: z.string(),
      status: z.enum(['ready', 'pending']),
      sha256: z.string(),
      cached: z.boolean(),
      purpose: z.string(),
      bytes: z.number(),
    }),
    effect: 'changes',
    idempotent: true,
    openWorld: true,
    affinity: 'glm',
    profile: 'full',
    pool: 'provider',
    timeoutMs: MODEL_TOOL_TIMEOUT_MS,
    resumable: true,
    async run({ file, purpose: given }, context) {
      const loaded = await fileIntake.load(toFileInputs([file]), { field: 'file' }, context);
      if ('inputRequests' in loaded) return loaded;
      const [wanted, ...others] = filesToUpload(loaded, 'file');
      if (!wanted || others.length > 0)
        throw new CallError('validation', `"file" must be one file, but is ${others.length + 1}.`, {
          field: 'file',
          fix: 'Give the path of one file.',
        });
      const purpose = glm.uploads.purposes[given];
      const exchanges = createFileExchanges(uploads, 'glm', context);
      const request = { ...wanted, provider: 'glm', principal: context.caller.principal } as const;
      const uploaded = await exchanges.run((service, own) =>
        service.upload({ ...request, purpose }, own),
      );
      const used = given === 'assistants' ? USUAL : given;
      const notices = [
        ...loaded.notices,
        ...uploaded.notices,
        ...(used === given
          ? []
          : [notice('upload_purpose_changed', { provider: glm.title, given, used })]),
      ];
      const { fileId, state, isCached } = uploaded;
      const before = isCached ? ', uploaded before' : '';
      return {
        text: `${wanted.name}: ${fileId} (${state}${before})${renderNotices(notices)}`,
        content: {
          name: wanted.name,
          file_id: fileId,
          status: state,
          sha256: wanted.sha256,
          cached: isCached,
          purpose: used,
          bytes: wanted.size,
        },
        askReports: exchanges.reports,
        ...noticeFields(notices),
      };
    },
  });
}
