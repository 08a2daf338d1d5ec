import { basename, resolve } from 'node:path';
import { notice, type Notice } from '#core/messages/notices.ts';
import { mayHoldSecrets } from '#core/secret-files.ts';
import { oneLine } from '#core/one-line.ts';

const MAX_NAMED = 20;
const MAX_NAME_CHARS = 200;

export interface WantedFiles {
  readonly files: readonly string[];
  readonly notices: readonly Notice[];
}

/**
 * Of the files that an expert asks for those that a caller can be told to give. What it read may have told it to ask for keys, and a
 * caller that does what the next call says would send them.
 */
export function wantedFiles(asked: readonly string[]): WantedFiles {
  const secret = asked.filter(isSecret);
  if (secret.length === 0) return { files: asked, notices: [] };
  const names = secret.slice(0, MAX_NAMED).map((path) => oneLine(path, MAX_NAME_CHARS));
  return {
    files: asked.filter((path) => !isSecret(path)),
    notices: [notice('expert_wants_secrets', { files: names, more: secret.length - names.length })],
  };
}

/** The line may stand behind a path, and there are many ways to write one. */
function isSecret(path: string): boolean {
  return [path, path.replace(/(?::\d{1,9}){1,2}$/, '')].some((each) => {
    const plain = /^file:/i.test(each) ? decoded(each) : each;
    const name = basename(resolve('/', plain.replaceAll('\\', '/')));
    return mayHoldSecrets(name.trim());
  });
}

function decoded(url: string): string {
  try {
    return decodeURIComponent(new URL(url).pathname);
  } catch {
    // Whatever it is, no file can be read by it.
    return url;
  }
}
