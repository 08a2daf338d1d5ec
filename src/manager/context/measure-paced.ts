import type { AskRequest } from '#core/llm/ask.ts';
import { estimatedChars, rememberTokens, schemaTokens } from '#models/estimate-chat.ts';
import { measureFile } from './files-block.ts';
import type { YieldPoint } from './yield-to-event-loop.ts';

/** Measuring less takes a few milliseconds. */
const LARGE_CHARS = 150_000;
/** What a message costs beside its text, in characters that take the same time. */
const MESSAGE_CHARS = 64;
const CHARS_PER_TOKEN = 4;

/**
 * Measures the long parts of a large request with yields in between, so that measuring it as a
 * whole is quick. Undefined if the request is not large.
 */
export function measureAhead(request: AskRequest, pause: YieldPoint): Promise<void> | undefined {
  const { messages, files = [], tools = [] } = request;
  let chars = 0;
  for (const tool of tools) chars += schemaTokens(tool) * CHARS_PER_TOKEN;
  for (const { text } of files) chars += text.length;
  for (const message of messages) {
    chars += MESSAGE_CHARS + estimatedChars(message);
    if (chars > LARGE_CHARS) break;
  }
  return chars > LARGE_CHARS ? inSteps(request, pause) : undefined;
}

async function inSteps({ messages, files = [] }: AskRequest, pause: YieldPoint): Promise<void> {
  await pause();
  let chars = 0;
  const isStepOver = (size: number) => {
    chars += size;
    if (chars < LARGE_CHARS) return false;
    chars = 0;
    return true;
  };
  for (const message of messages) {
    rememberTokens(message);
    if (isStepOver(MESSAGE_CHARS + estimatedChars(message))) await pause();
  }
  for (const file of files) {
    measureFile(file);
    if (isStepOver(file.text.length)) await pause();
  }
}
