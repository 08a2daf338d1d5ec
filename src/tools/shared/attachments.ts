import type { FileInput } from '#core/files/file-input.ts';
import type {
  FileIntake,
  IntakeContext,
  LoadedFiles,
  LoadedMedia,
} from '#core/files/file-intake.ts';
import type { AskRequest, AskText } from '#core/llm/ask.ts';
import type { ChatMessage, ChatPart } from '#core/llm/chat.ts';
import { notice, type Notice } from '#core/messages/notices.ts';
import { attachmentName } from '#core/text/attachment-name.ts';
import type { Thread } from '#core/threads.ts';
import type { InputRequired } from '#core/tools/input-request.ts';
import type { ModelDirectory } from '#models/model-directory.ts';
import { parseImage } from './fields.ts';

/** An entry of an argument, as its schema describes it. */
export type FileArgument = string | Readonly<Record<string, unknown>>;

/** The file arguments of a call. */
export interface FileArguments {
  readonly files?: readonly FileArgument[] | undefined;
  readonly images?: readonly FileArgument[] | undefined;
}

/** Entries as the intake takes them; their schema has checked them. */
export function toFileInputs(entries: readonly FileArgument[] = []): readonly FileInput[] {
  return entries as readonly FileInput[];
}

const UNREAD =
  '(This file is only named here and was not read: its text stands in this place when the question is asked.)';

/** A placeholder for a named file whose content has not been read. */
export function unreadFile(path: string): AskText {
  return { name: path, text: UNREAD, isUnread: true };
}

const MAX_SHOWN_CHARS = 200;

/** The files of an argument without reading any: texts that it contains, and placeholders. */
export function previewFiles(entries: readonly FileArgument[] = []): readonly AskText[] {
  return toFileInputs(entries).map((entry) => {
    if (typeof entry === 'string') {
      return { ...unreadFile(/^data:/i.test(entry) ? 'data URL' : entry), input: entry };
    }
    if ('text' in entry && entry.text !== undefined && 'name' in entry) {
      return { name: attachmentName(entry.name ?? ''), text: entry.text };
    }
    return { ...unreadFile(entryName(entry)), input: entry };
  });
}

/** How an entry that is not a path is named in messages. */
export function entryName(entry: Exclude<FileInput, string>): string {
  if ('filename' in entry) return attachmentName(entry.filename).slice(0, MAX_SHOWN_CHARS);
  return 'uri' in entry ? entry.uri : 'file_id' in entry ? entry.file_id : entry.name;
}

/** The pictures of an argument without reading any; those that are files are empty. */
export function previewImages(entries: readonly FileArgument[] = []): readonly ChatPart[] {
  return entries.map((entry) => {
    const source = typeof entry === 'string' ? parseImage(entry) : undefined;
    return { type: 'image', source: source ?? { base64: '', mediaType: 'image/png' } };
  });
}

export interface AttachmentDeps {
  readonly fileIntake: FileIntake;
  /** Tells which models take pictures; absent: all do. */
  readonly modelDirectory?: Pick<ModelDirectory, 'resolve'>;
}

export interface LoadOptions {
  /** The argument that errors about `files` name; default: files. */
  readonly field?: string;
  /** The models that the caller named. */
  readonly models?: readonly (string | undefined)[];
}

/**
 * Loads the files and pictures of a question: those of this call, and those that its conversation
 * has kept. Pictures of earlier questions are left out if a model that was named takes none.
 */
export async function loadAttachments(
  { files, images }: FileArguments,
  { files: earlier }: Pick<Thread, 'files'>,
  deps: AttachmentDeps,
  context: IntakeContext,
  { field = 'files', models = [] }: LoadOptions = {},
): Promise<LoadedFiles | InputRequired> {
  const { fileIntake } = deps;
  const loaded = await fileIntake.load(toFileInputs(files), { field, earlier }, context);
  if ('inputRequests' in loaded) return loaded;
  const shown = await loadImages(images, fileIntake, context);
  if ('inputRequests' in shown) return shown;
  const now = new Set(shown.media.map(({ sha256 }) => sha256));
  const others = loaded.media.filter(({ sha256 }) => !now.has(sha256));
  const unseen = unseenBy(models, deps);
  const isLeftOut = ({ isEarlier }: LoadedMedia) => isEarlier && unseen !== undefined;
  const count = others.filter(isLeftOut).length;
  const notices: readonly Notice[] =
    count > 0 && unseen !== undefined
      ? [notice('earlier_media_not_seen', { count, model: unseen })]
      : [];
  return {
    texts: [...loaded.texts, ...shown.texts],
    media: [...others.filter((each) => !isLeftOut(each)), ...shown.media],
    notices: [...loaded.notices, ...shown.notices, ...notices],
    kept: [...new Set([...loaded.kept, ...shown.kept])],
  };
}

const NOTHING: LoadedFiles = { texts: [], media: [], notices: [], kept: [] };

/** Loads the pictures of the argument `images`. */
export async function loadImages(
  images: readonly FileArgument[] | undefined,
  fileIntake: FileIntake,
  context: IntakeContext,
): Promise<LoadedFiles | InputRequired> {
  if (images === undefined || images.length === 0) return NOTHING;
  return fileIntake.load(toFileInputs(images), { field: 'images', as: 'pictures' }, context);
}

/** The first of the models that were named that takes no pictures. */
function unseenBy(
  models: readonly (string | undefined)[],
  { modelDirectory }: AttachmentDeps,
): string | undefined {
  return models.find((model) => {
    const named = model?.trim() ?? '';
    if (['', 'auto'].includes(named.toLowerCase())) return false;
    const found = modelDirectory?.resolve(named);
    return found?.is === 'found' && !found.model.input.includes('image');
  });
}

/** Adds pictures and videos to the question, after its text. */
export function withMedia(request: AskRequest, media: readonly LoadedMedia[]): AskRequest {
  const question = request.messages.at(-1);
  if (media.length === 0 || question?.role !== 'user') return request;
  const parts = media.map(({ part }): ChatPart => part);
  const text: readonly ChatPart[] =
    typeof question.content === 'string'
      ? question.content === ''
        ? []
        : [{ type: 'text', text: question.content }]
      : question.content;
  const asked: ChatMessage = { role: 'user', content: [...text, ...parts] };
  return { ...request, messages: [...request.messages.slice(0, -1), asked] };
}
