import type { AskText } from '#core/llm/ask.ts';
import type { Notice } from '#core/messages/notices.ts';
import type { ReadableWorkspace } from '#core/workspace.ts';
import { checkSecrets, type SecretsCheck } from './check-secrets.ts';

/** A workspace whose texts and diffs are scanned for secrets, like the files of a question. */
export function scanWorkspace(
  workspace: ReadableWorkspace,
  check: SecretsCheck,
): ReadableWorkspace {
  async function scan(texts: readonly AskText[], field: string): Promise<readonly Notice[]> {
    const notices: Notice[] = [];
    for (const text of texts) notices.push(...(await checkSecrets(text, check, field)));
    return notices;
  }
  return {
    async read(paths, field, by) {
      const read = await workspace.read(paths, field, by);
      return { ...read, notices: [...read.notices, ...(await scan(read.texts, field))] };
    },
    async changes(options, by) {
      const found = await workspace.changes(options, by);
      return { ...found, notices: [...found.notices, ...(await scan(found.diffs, 'path'))] };
    },
  };
}
