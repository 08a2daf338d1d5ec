import { createHash } from 'node:crypto';
import { CallError } from '#core/errors/call-error.ts';
import type { LoadedFiles } from '#core/files/file-intake.ts';
import { isDocumentText } from '#core/llm/file-supply.ts';

/** A file with its bytes, as an upload needs it. */
export interface FileToSend {
  readonly name: string;
  readonly mediaType: string;
  readonly size: number;
  readonly sha256: string;
  bytes(): AsyncIterable<Uint8Array>;
}

/** What a caller gave, as files to upload: documents, texts and pictures. */
export function filesToUpload({ texts, media }: LoadedFiles, field: string): readonly FileToSend[] {
  const fromTexts = texts.map((file): FileToSend => {
    if (!isDocumentText(file)) return fromBytes(file.name, 'text/plain', Buffer.from(file.text));
    const { mediaType, size, sha256 } = file.document;
    return { name: file.name, mediaType, size, sha256, bytes: () => file.document.bytes() };
  });
  const fromMedia = media.map(({ name, part }): FileToSend => {
    const { source } = part;
    if (!('base64' in source))
      throw new CallError('validation', `${name} is an address, not a file.`, {
        field,
        fix: 'Give a path, or the content itself.',
      });
    return fromBytes(name, source.mediaType, Buffer.from(source.base64, 'base64'));
  });
  return [...fromTexts, ...fromMedia];
}

function fromBytes(name: string, mediaType: string, content: Buffer): FileToSend {
  return {
    name,
    mediaType,
    size: content.length,
    sha256: createHash('sha256').update(content).digest('hex'),
    async *bytes() {
      yield content;
    },
  };
}
