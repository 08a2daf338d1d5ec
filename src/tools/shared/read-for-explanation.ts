import { fileIdOf, type FileInput } from '#core/files/file-input.ts';
import type { FileIntake, IntakeContext } from '#core/files/file-intake.ts';
import { isId } from '#core/ids.ts';
import type { AskRequest, AskText } from '#core/llm/ask.ts';
import type { ChatMessage } from '#core/llm/chat.ts';
import type { Notice } from '#core/messages/notices.ts';
import type { InputRequired } from '#core/tools/input-request.ts';
import { toFileInputs, withMedia, type FileArgument } from './attachments.ts';

/** A request as a tool previews it: its files are only named. */
export interface PreviewedRequest {
  readonly request: AskRequest;
  /** `nothing` for a tool that the caller perhaps may not use. */
  readonly reads: 'files' | 'nothing';
  /** Its argument `images`. */
  readonly images: readonly FileArgument[];
}

/** The request with the files that could be read, and what is worth knowing about them. */
export interface ReadRequest {
  readonly request: AskRequest;
  readonly notices: readonly Notice[];
}

const FIELD = 'args';
const KEEPS_NOTHING = { field: FIELD, keeps: 'nothing' } as const;

/**
 * Reads the files of a request as its tool would, so that an explanation measures them. Stores
 * nothing and asks no provider.
 */
export async function readForExplanation(
  { request, reads, images }: PreviewedRequest,
  fileIntake: FileIntake,
  context: IntakeContext,
): Promise<ReadRequest | InputRequired> {
  if (reads === 'nothing') return { request, notices: [] };
  const { files = [] } = request;
  const inputs = files.flatMap((file) => inputOf(file) ?? []);
  if (inputs.length + images.length === 0) return { request, notices: [] };
  const loaded = await fileIntake.load(inputs, KEEPS_NOTHING, context);
  if ('inputRequests' in loaded) return loaded;
  const pictures = { ...KEEPS_NOTHING, as: 'pictures' } as const;
  const shown = await fileIntake.load(toFileInputs(images), pictures, context);
  if ('inputRequests' in shown) return shown;
  const others = files.filter((file) => inputOf(file) === undefined);
  const texts = [...loaded.texts, ...shown.texts, ...others];
  const read: AskRequest = { ...request, files: texts };
  const seen = new Set(shown.media.map(({ sha256 }) => sha256));
  const media = loaded.media.filter(({ sha256 }) => !seen.has(sha256));
  return {
    request: withMedia(images.length === 0 ? read : withoutPictures(read), [
      ...media,
      ...shown.media,
    ]),
    notices: [...loaded.notices, ...shown.notices],
  };
}

/** Where to read a file; undefined for our own material, and for what only a real call reads. */
function inputOf({ input, isUnread, as, name, text }: AskText): FileInput | undefined {
  if (!isUnread) return as === 'material' ? undefined : { name, text };
  const id = fileIdIn(input);
  return id === undefined || isId(id, 'file') ? input : undefined;
}

/** The id of a stored file, or of one at a provider. */
function fileIdIn(input: FileInput | undefined): string | undefined {
  if (typeof input === 'string') return fileIdOf(input);
  if (input === undefined || 'text' in input) return undefined;
  if ('file_id' in input) return fileIdOf(input.file_id) ?? input.file_id;
  return 'uri' in input ? fileIdOf(input.uri) : undefined;
}

/** The request without the pictures of its question, which stand for those that were not read. */
function withoutPictures(request: AskRequest): AskRequest {
  const question = request.messages.at(-1);
  if (question?.role !== 'user' || typeof question.content === 'string') return request;
  const content = question.content.filter(({ type }) => type !== 'image');
  const asked: ChatMessage = { role: 'user', content };
  return { ...request, messages: [...request.messages.slice(0, -1), asked] };
}
