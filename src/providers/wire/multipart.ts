import type { Random } from '#core/random.ts';

/** A file of a form, sent as it comes. */
export interface FormFile {
  readonly field: string;
  readonly name: string;
  readonly mediaType: string;
  readonly size: number;
  bytes(): AsyncIterable<Uint8Array>;
}

export interface Multipart {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: AsyncIterable<Uint8Array>;
}

/**
 * A form as a stream: nothing of the file is held, and its length is known beforehand, which some vendors ask for. Nobody can guess
 * the boundary, so no file can end its part and begin another.
 */
export function multipart(
  fields: Readonly<Record<string, string>>,
  file: FormFile,
  random: Random,
): Multipart {
  const boundary = `exai-${Buffer.from(random(16)).toString('hex')}`;
  const head = Buffer.from(
    Object.entries(fields)
      .map(([name, value]) => `${part(boundary, name)}\r\n\r\n${value}\r\n`)
      .join('') +
      `${part(boundary, file.field)}; filename="${fileName(file.name)}"\r\ncontent-type: ${mediaType(file.mediaType)}\r\n\r\n`,
  );
  const tail = Buffer.from(`\r\n--${boundary}--\r\n`);
  return {
    headers: {
      'content-type': `multipart/form-data; boundary=${boundary}`,
      'content-length': String(head.length + file.size + tail.length),
    },
    body: inOrder(head, file, tail),
  };
}

async function* inOrder(
  head: Uint8Array,
  file: FormFile,
  tail: Uint8Array,
): AsyncIterable<Uint8Array> {
  yield head;
  yield* file.bytes();
  yield tail;
}

function part(boundary: string, name: string): string {
  return `--${boundary}\r\ncontent-disposition: form-data; name="${name}"`;
}

/** As browsers write names: what would end the name is escaped. */
function fileName(name: string): string {
  return name.replaceAll('"', '%22').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

function mediaType(type: string): string {
  return /^[\w.+-]+\/[\w.+-]+$/.test(type) ? type : 'application/octet-stream';
}
