import { CallError, type ErrorJson } from '#core/call-error.ts';

const MARK = 'start_failed';

/** The line in which a daemon that was started by a client says why it ended before it was ready. */
export function startFailureLine(error: CallError): string {
  return `${JSON.stringify({ exai: MARK, error })}\n`;
}

/** The last such line among what it wrote; nothing where there is none. */
export function readStartFailure(written: string): CallError | undefined {
  for (const line of written.split('\n').reverse()) {
    if (!line.startsWith('{')) continue;
    const found = parse(line);
    if (found?.exai === MARK && typeof found.error?.message === 'string') {
      return CallError.fromJSON(found.error);
    }
  }
  return undefined;
}

function parse(line: string): { readonly exai?: unknown; readonly error?: ErrorJson } | undefined {
  try {
    return JSON.parse(line) as { readonly exai?: unknown; readonly error?: ErrorJson };
  } catch {
    // Anything else may be written there, such as the trace of a crash.
    return undefined;
  }
}
