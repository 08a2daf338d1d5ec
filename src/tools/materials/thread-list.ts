import type { Resource } from '#core/resource.ts';
import type { Tool } from '#core/tool.ts';
import { ICON } from '../icon.ts';

export const THREADS_URI = 'exai://threads';
const MIME_TYPE = 'application/json';
const MAX_LISTED = 100;

/** What the tool lists. */
interface Listed {
  readonly threads: readonly { readonly id: string }[];
  readonly next?: string;
}

export function threadUri(id: string): string {
  return `${THREADS_URI}/${id}`;
}

/** The reader's own conversations as the tool lists them, each with its address. */
export function threadList(threads: Tool): Resource {
  return {
    uri: THREADS_URI,
    tellsChanges: true,
    name: 'threads',
    title: 'Conversations',
    description: 'Your conversations, the newest first; exai://threads/{id} has what was said.',
    mimeType: MIME_TYPE,
    icons: [ICON],
    uses: threads.name,
    async read(context) {
      const args = threads.parse({ action: 'list', limit: MAX_LISTED });
      const answer = await threads.run(args, context);
      if ('asks' in answer) return answer;
      const { threads: rows, next } = answer.content as Listed;
      const text = JSON.stringify({
        threads: rows.map((row) => ({ ...row, uri: threadUri(row.id) })),
        ...(next !== undefined && { note: moreWords(threads.name, next) }),
      });
      return [{ uri: THREADS_URI, mimeType: MIME_TYPE, text }];
    },
  };
}

function moreWords(tool: string, before: string): string {
  const args = JSON.stringify({ action: 'list', before });
  return `There are older ones: the tool ${tool} lists them with ${args}.`;
}
