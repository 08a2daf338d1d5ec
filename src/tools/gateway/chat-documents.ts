import { CallError } from '#core/errors/call-error.ts';
import type { FileInput } from '#core/files/file-input.ts';
import type { FileIntake, IntakeContext, LoadedFiles } from '#core/files/file-intake.ts';
import type { AskRequest, AskText } from '#core/llm/ask.ts';
import { asLocalText } from '#core/llm/file-supply.ts';
import type { ChatMessage, ChatPart } from '#core/llm/chat.ts';
import type { AbortSignalLike } from '#core/net/abort.ts';
import type { Notice } from '#core/messages/notices.ts';
import { formatMegabytes } from '#core/text/format.ts';
import { oneLine } from '#core/text/text.ts';

/** A document of the web. */
export interface FetchedDocument {
  readonly name: string;
  readonly contentType: string;
  readonly bytes: Uint8Array;
}

export interface ChatDocumentsDeps {
  readonly fileIntake: FileIntake;
  /** Fetches from public addresses alone. */
  readonly fetchDocument: (url: string, signal: AbortSignalLike) => Promise<FetchedDocument>;
  /** The same for a picture; its errors name the field. Absent: providers fetch pictures. */
  readonly fetchPicture?: (
    url: string,
    field: string,
    signal: AbortSignal,
  ) => Promise<FetchedDocument>;
}

/** A request whose documents are files, and what is worth knowing about them. */
export interface ReadDocuments {
  readonly request: AskRequest;
  readonly notices: readonly Notice[];
}

type MediaPart = Exclude<ChatPart, { readonly type: 'text' }>;
/** The text of a document, which stays where it is. */
type FileText = Extract<ChatPart, { readonly type: 'text' }> & { readonly fromFile: string };
type DocumentPart = MediaPart | FileText;

/** More than any client sends. Each one is a text in memory. */
const MAX_DOCUMENTS = 200;
const FIELD = 'messages';

/** Of the texts of all documents of one request; more than any context window holds. */
const MAX_TEXT_BYTES = 24_000_000;
/** Of all pictures and videos of one request that are read or fetched. */
const MAX_MEDIA_BYTES = 48_000_000;

/**
 * Replaces the documents of a conversation by their texts, so that every model can read them, and
 * pictures that were uploaded or are named by an address by their bytes. Nothing is stored, and only
 * scans are sent to a provider.
 */
export async function readDocuments(
  request: AskRequest,
  { fileIntake, fetchDocument, fetchPicture }: ChatDocumentsDeps,
  context: IntakeContext,
): Promise<ReadDocuments> {
  if (!request.messages.some(hasDocuments)) return { request, notices: [] };
  if (countDocuments(request.messages) > MAX_DOCUMENTS) throw tooMany();
  const files = createNamedFiles(request.files ?? []);
  const notices: Notice[] = [];
  let textBytes = 0;
  let mediaBytes = 0;

  /** A document that comes twice is read twice, so it counts twice. */
  function countRead({ texts, media }: LoadedFiles, field: string): void {
    for (const { text } of texts) textBytes += Buffer.byteLength(text);
    for (const { part } of media) mediaBytes += mediaSize(part);
    if (textBytes > MAX_TEXT_BYTES) throw tooManyBytes('texts of the documents', field);
    if (mediaBytes > MAX_MEDIA_BYTES) throw tooManyBytes('pictures and videos', field);
  }

  async function fetchMedia(url: string, field: string): Promise<FetchedDocument> {
    return fetchPicture?.(url, field, context.signal) ?? fetchDocument(url, context.signal);
  }

  async function load(part: DocumentPart, field: string): Promise<LoadedFiles> {
    const input =
      part.type === 'text'
        ? { name: part.fromFile, text: withoutHeading(part) }
        : await toInput(part, (url) =>
            part.type === 'image' ? fetchMedia(url, field) : fetchDocument(url, context.signal),
          );
    const loaded = await fileIntake.load([input], { field, keeps: 'nothing' }, context);
    if ('inputRequests' in loaded) throw new CallError('internal', 'A document needs no folder.');
    return loaded;
  }

  async function readPart(part: ChatPart, field: string): Promise<readonly ChatPart[]> {
    if (!isDocument(part)) return [part];
    const read = await load(part, field);
    countRead(read, field);
    const { texts, media, notices: found } = read;
    notices.push(...found);
    if (part.type === 'text') return [withoutFile(part)];
    // A picture of a page is a picture here, as one that is sent as bytes.
    if (part.type === 'image' && media.length > 0) return media.map(({ part: picture }) => picture);
    if (isPictureAddress(part) && !texts.some(({ document }) => document)) throw notPicture(field);
    return [
      ...texts.map((text) => mention(files.add(asLocalText(text)))),
      ...media.map(({ part: picture }) => picture),
    ];
  }

  const messages: ChatMessage[] = [];
  for (const [at, message] of request.messages.entries()) {
    if (!hasDocuments(message)) {
      messages.push(message);
      continue;
    }
    const parts: ChatPart[] = [];
    // One after the other: each may take much memory.
    for (const [index, part] of message.content.entries()) {
      const read = await readPart(part, `${FIELD}[${at}].content[${index}]`);
      for (const each of read) parts.push(each);
    }
    const [only] = message.content;
    const isLone = message.content.length === 1 && only?.type === 'text';
    messages.push({ role: 'user', content: isLone ? only.text : parts });
  }
  return { request: { ...request, messages, files: files.list() }, notices };
}

/** The same request with its documents named only, for a preview that reads none. */
export function withUnreadDocuments(request: AskRequest): AskRequest {
  if (!request.messages.some(hasDocuments)) return request;
  const files = createNamedFiles(request.files ?? []);
  const unread = (part: ChatPart): ChatPart =>
    part.type === 'file'
      ? mention(
          files.add({ name: nameOf(part), text: '(not read)', isUnread: true, ...inputOf(part) }),
        )
      : withoutFile(part);
  const messages = request.messages.map((message): ChatMessage =>
    hasDocuments(message) ? { role: 'user', content: message.content.map(unread) } : message,
  );
  return { ...request, messages, files: files.list() };
}

/** The part as models get it. */
function withoutFile(part: ChatPart): ChatPart {
  return part.type === 'text' ? { type: 'text', text: part.text } : part;
}

/** Without the name above it, so that lines count as in the document. */
function withoutHeading({ text, fromFile }: FileText): string {
  const heading = `${fromFile}\n\n`;
  return text.startsWith(heading) ? text.slice(heading.length) : text;
}

type WithParts = Extract<ChatMessage, { role: 'user' }> & { readonly content: readonly ChatPart[] };

function hasDocuments(message: ChatMessage): message is WithParts {
  return (
    message.role === 'user' &&
    typeof message.content !== 'string' &&
    message.content.some(isDocument)
  );
}

/** Whether a part is a document, or a picture that was uploaded or has to be fetched. */
function isDocument(part: ChatPart): part is DocumentPart {
  if (part.type === 'text') return part.fromFile !== undefined;
  return part.type === 'file' || 'fileId' in part.source || isPictureAddress(part);
}

/** Providers fetch videos themselves, as those may be larger than a request. */
function isPictureAddress({ type, source }: MediaPart): boolean {
  return type === 'image' && 'url' in source && /^https?:/i.test(source.url);
}

/** Texts are not counted: they are in the request already. */
function countDocuments(messages: readonly ChatMessage[]): number {
  let count = 0;
  for (const message of messages) {
    if (hasDocuments(message)) {
      count += message.content.filter((part) => part.type !== 'text' && isDocument(part)).length;
    }
  }
  return count;
}

async function toInput(
  part: MediaPart,
  fetch: (url: string) => Promise<FetchedDocument>,
): Promise<FileInput> {
  const { input } = inputOf(part);
  if (input !== undefined) return input;
  const { source, name = '' } = part;
  if (!('url' in source)) throw new CallError('internal', 'A document has no source.');
  const { bytes, contentType, name: lastPart } = await fetch(source.url);
  const [mediaType = ''] = contentType.split(';');
  return {
    filename: name === '' ? lastPart : name,
    content: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64'),
    ...(mediaType.trim() !== '' && { mime_type: mediaType.trim() }),
  };
}

/** The document as the intake takes it; nothing for one that has to be fetched. */
function inputOf({ source, name = '' }: MediaPart): { readonly input?: FileInput } {
  if ('fileId' in source) return { input: { file_id: source.fileId } };
  if (!('base64' in source)) return {};
  return { input: { filename: name, content: source.base64, mime_type: source.mediaType } };
}

function nameOf({ name = '', source }: MediaPart): string {
  if (name !== '') return name;
  return 'fileId' in source ? source.fileId : 'document';
}

function mention(name: string): ChatPart {
  return { type: 'text', text: `(This is the file ${JSON.stringify(name)} above.)` };
}

/** Files by distinct names: the same document twice is one file, another one gets another name. */
function createNamedFiles(given: readonly AskText[]) {
  const byName = new Map(given.map((file) => [file.name, file]));
  return {
    list: () => [...byName.values()],
    /** Returns the name that it has among the files. */
    add(file: AskText): string {
      const base = oneLine(file.name, 200);
      for (let count = 1; ; count++) {
        const name = count === 1 ? base : numbered(base, count);
        const known = byName.get(name);
        if (known && !isSame(known, file)) continue;
        byName.set(name, { ...file, name });
        return name;
      }
    },
  };
}

function isSame(one: AskText, other: AskText): boolean {
  return one.document && other.document
    ? one.document.sha256 === other.document.sha256
    : one.text === other.text;
}

/** `report.pdf` becomes `report (2).pdf`. */
function numbered(name: string, count: number): string {
  const dot = name.lastIndexOf('.');
  return dot <= 0 ? `${name} (${count})` : `${name.slice(0, dot)} (${count})${name.slice(dot)}`;
}

function tooMany(): CallError {
  return new CallError('validation', `There are more than ${MAX_DOCUMENTS} documents.`, {
    field: FIELD,
    fix: 'Send fewer documents.',
  });
}

const LIMITS = {
  'texts of the documents': MAX_TEXT_BYTES,
  'pictures and videos': MAX_MEDIA_BYTES,
} as const;

function tooManyBytes(what: keyof typeof LIMITS, field: string): CallError {
  const message = `The ${what} are over the limit of ${formatMegabytes(LIMITS[what])} in all.`;
  return new CallError('too_large', message, { field, fix: 'Send fewer or smaller ones.' });
}

function mediaSize(part: ChatPart): number {
  if (part.type === 'text' || !('base64' in part.source)) return 0;
  return Math.floor((part.source.base64.length * 3) / 4);
}

function notPicture(field: string): CallError {
  return new CallError('validation', 'The address has no picture.', {
    field,
    fix: 'Give the address of the picture itself, not of the page that shows it.',
  });
}
