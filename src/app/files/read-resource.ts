import { CallError } from '#core/errors/call-error.ts';
import type { Calls } from '#core/calls/calls.ts';
import type { IntakeContext } from '#core/files/file-intake.ts';
import type { ResourceContents } from '#core/tools/content.ts';
import type { ResourceBytes } from '#files/intake/file-reader.ts';

/** Recorded as the transport of a resource that is read as a file. */
const TRANSPORT = 'files';

/** Reads one of our MCP resources as a call of the caller, so with its rights and a record. */
export function createReadResource(calls: () => Pick<Calls, 'start'>) {
  return async (uri: string, { caller, signal }: IntakeContext): Promise<ResourceBytes> => {
    signal.throwIfAborted();
    const session = `${TRANSPORT}:${caller.principal}`;
    const request = { kind: 'resource', tool: uri, args: {}, caller } as const;
    const call = calls().start({ ...request, transport: TRANSPORT, session });
    const cancel = () => call.cancel();
    signal.addEventListener('abort', cancel, { once: true });
    try {
      const { envelope, error, inputRequired } = await call.answer;
      if (error) throw error;
      if (inputRequired) throw new CallError('validation', `${uri} asks for input.`);
      const { contents } = envelope.content as { readonly contents: readonly ResourceContents[] };
      return toBytes(uri, contents);
    } finally {
      signal.removeEventListener('abort', cancel);
    }
  };
}

/** One file of all contents. */
function toBytes(uri: string, contents: readonly ResourceContents[]): ResourceBytes {
  const [first] = contents;
  const parts = contents.map((each) =>
    'text' in each ? Buffer.from(each.text) : Buffer.from(each.blob, 'base64'),
  );
  const contentType = first?.mimeType;
  return {
    name: uri.slice(uri.indexOf('://') + 3),
    bytes: Buffer.concat(parts),
    ...(contentType !== undefined && { contentType }),
  };
}
