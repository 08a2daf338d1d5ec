import { resolve } from 'node:path';
import { expandTilde } from '#config/home.ts';
import { CallError } from '#core/call-error.ts';
import { threadsOver, type Connect } from './chat-connect.ts';
import type { Place } from './chat-file.ts';
import { saveText } from './save-text.ts';
import { threadMarkdown } from './thread-markdown.ts';
import { turnCount } from './turn-count.ts';
import { wholeThread } from './whole-thread.ts';

/** Writes a conversation into a file that was not there, and says so. */
export async function saveThread(
  id: string,
  given: string,
  { cwd, env, connect }: Place & { readonly connect: Connect },
): Promise<string> {
  if (given === '' || given.includes('\0')) {
    throw new CallError('bad_request', 'There is no name for the file.', { fix: '/save talk.md' });
  }
  const file = resolve(cwd, expandTilde(given, env));
  const whole = await connect((client) => wholeThread(threadsOver(client), id));
  try {
    saveText(file, threadMarkdown(whole), 'keep');
  } catch (thrown) {
    const { class: errorClass, message } = CallError.from(thrown);
    throw new CallError(errorClass, message, { fix: 'Choose another name.', cause: thrown });
  }
  return `${turnCount(whole.turns.length)} written to ${file}`;
}
