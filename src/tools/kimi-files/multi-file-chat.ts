import * as z from 'zod';
import { CallError } from '#core/errors/call-error.ts';
import type { FileInput } from '#core/files/file-input.ts';
import type { LoadedFiles } from '#core/files/file-intake.ts';
import type { SentText } from '#core/files/sent-texts.ts';
import type { AskRequest, AskText } from '#core/llm/ask.ts';
import { fix } from '#core/messages/fixes.ts';
import { distinctNotices } from '#core/messages/notices.ts';
import { CALL_TIME_HELP, MODEL_TOOL_TIMEOUT_MS } from '#core/time/call-times.ts';
import { defineTool } from '#core/tools/define-tool.schema.ts';
import type { Tool } from '#core/tools/tool.ts';
import { toFileInputs } from '../shared/attachments.ts';
import * as fields from '../shared/fields.ts';
import { noticeFields, renderNotices } from '../shared/notices.ts';
import { progressNotes } from '../shared/progress-notes.ts';
import { readAskRequest } from '../shared/read-ask-request.ts';
import { createFileExchanges, uploadOwner, type FileExchanges } from './exchange.ts';
import { MULTI_FILE_PROMPT } from './multi-file-chat.prompt.ts';
import type { KimiFilesDeps } from './upload-and-extract.ts';

const MAX_IDS = 200;
const USUAL_TEMPERATURE = 0.3;

/** Asks Kimi about several files; other models answer if Kimi fails. */
export function kimiMultiFileChat({ uploads, fileIntake, checkSentTexts }: KimiFilesDeps): Tool {
  return defineTool({
    name: 'kimi_multi_file_chat',
    title: 'Ask Kimi about files',
    description:
      'Ask Kimi about files, given as files or as file_ids of kimi_upload_and_extract. If Kimi fails, another model answers about the same files.',
    help: `Kimi has no chat by file id: the extracted texts are sent with the question. ${CALL_TIME_HELP}`,
    input: z.strictObject({
      prompt: fields.promptField,
      files: fields.filesField.optional(),
      file_ids: z
        .array(z.string().min(1).max(256))
        .max(MAX_IDS)
        .optional()
        .describe('Ids of your uploads.'),
      model: fields.modelField.optional(),
      temperature: fields.temperatureField.optional(),
    }),
    output: z.union([
      z.string(),
      z.strictObject({ text: z.string(), finish: z.enum(['stop', 'length', 'tool_calls']) }),
    ]),
    effect: 'reads',
    openWorld: true,
    affinity: 'kimi',
    category: 'balanced',
    profile: 'full',
    pool: 'provider',
    timeoutMs: MODEL_TOOL_TIMEOUT_MS,
    resumable: true,
    previewAsk: (args) => toRequest(args),
    async run(args, context) {
      const { own, ofProvider } = splitIds(args.file_ids ?? [], toFileInputs(args.files));
      if (own.length + ofProvider.length === 0) throw noFiles();
      const empty: LoadedFiles = { texts: [], media: [], notices: [], kept: [] };
      const loaded =
        own.length === 0 ? empty : await fileIntake.load(own, { field: 'files' }, context);
      if ('inputRequests' in loaded) return loaded;
      const exchanges = createFileExchanges(uploads, 'kimi', context);
      const uploaded = await Promise.all(
        ofProvider.map((id) => textOf(id, exchanges, uploadOwner('kimi', context))),
      );
      const found = (await checkSentTexts?.(uploaded.map(sentUpload))) ?? [];
      const { text, finish } = await context.ask(
        withFiles(toRequest(args), { ...loaded, texts: distinctNames(loaded.texts, uploaded) }),
        {
          onText: (piece) => context.progress({ text: piece }),
          ...progressNotes((note) => context.progress({ note })),
        },
      );
      const notices = distinctNotices([...loaded.notices, ...found]);
      return {
        text: `${text}${renderNotices(notices)}`,
        ...((finish !== 'stop' || notices.length > 0) && { content: { text, finish } }),
        askReports: exchanges.reports,
        ...noticeFields(notices),
      };
    },
  });
}

function toRequest(args: Readonly<Record<string, unknown>>): AskRequest {
  const { file_ids: _, ...rest } = args;
  const request = readAskRequest({ temperature: USUAL_TEMPERATURE, ...rest });
  return { ...request, system: MULTI_FILE_PROMPT };
}

function withFiles(request: AskRequest, loaded: LoadedFiles): AskRequest {
  const { texts, media } = loaded;
  const [question, ...others] = request.messages;
  const isPlain = question?.role === 'user' && typeof question.content === 'string';
  if (media.length === 0 || !isPlain) return { ...request, files: texts };
  const text = { type: 'text', text: String(question.content) } as const;
  const content = [text, ...media.map(({ part }) => part)];
  return { ...request, messages: [{ role: 'user', content }, ...others], files: texts };
}

/** Ids of stored files are read by the intake, those of Kimi by its files. */
function splitIds(
  ids: readonly string[],
  files: readonly FileInput[],
): { readonly own: readonly FileInput[]; readonly ofProvider: readonly string[] } {
  const named = files.flatMap((file) =>
    typeof file === 'object' && 'file_id' in file ? [file.file_id] : [],
  );
  const all = [...new Set([...ids, ...named])];
  const isOwn = (id: string) => id.startsWith('file_');
  return {
    own: [
      ...files.filter((file) => typeof file === 'string' || !('file_id' in file)),
      ...all.filter(isOwn).map((id) => ({ file_id: id })),
    ],
    ofProvider: all.filter((id) => !isOwn(id)),
  };
}

interface UploadedText extends AskText {
  readonly id: string;
}

async function textOf(
  id: string,
  exchanges: FileExchanges,
  owner: ReturnType<typeof uploadOwner>,
): Promise<UploadedText> {
  return { id, ...(await exchanges.run((uploads, own) => uploads.textOf(id, owner, own))) };
}

/** Another model may answer, and the file may have come to Kimi without EX-AI. */
function sentUpload({ name, text }: UploadedText): SentText {
  return { name, text, field: 'file_ids', isEarlier: false };
}

/** All texts; uploads whose name another text has get their id beside it. */
function distinctNames(
  texts: readonly AskText[],
  uploaded: readonly UploadedText[],
): readonly AskText[] {
  const names = [...texts, ...uploaded].map(({ name }) => name);
  const isTwice = (name: string) => names.indexOf(name) !== names.lastIndexOf(name);
  return [
    ...texts,
    ...uploaded.map(({ id, name, text }) => ({
      name: isTwice(name) ? `${name} (${id})` : name,
      text,
    })),
  ];
}

function noFiles(): CallError {
  return new CallError('validation', 'There is no file to ask about.', {
    field: 'files',
    fixes: [fix('set_argument', { argument: 'files' }), 'Or give `file_ids`.'],
  });
}
