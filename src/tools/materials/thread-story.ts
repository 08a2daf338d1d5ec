import { CallError } from '#core/call-error.ts';
import { isId } from '#core/ids.ts';
import type { Complete } from '#core/prompt.ts';
import type { ResourceTemplate } from '#core/resource.ts';
import type { Tool, ToolContext } from '#core/tool.ts';
import { ICON } from '../icon.ts';
import { THREADS_URI } from './thread-list.ts';
import { MAX_PAGE_CHARS, MAX_PAGE_TURNS, threadPage, type ShownThread } from './thread-page.ts';

const MIME_TYPE = 'application/json';
const TURN = /^[1-9]\d{0,5}$/;

/** What was said in a conversation of the reader's: its newest turns, and page by page those before them. */
export function threadStories(threads: Tool, complete: Complete): readonly ResourceTemplate[] {
  const common = {
    mimeType: MIME_TYPE,
    icons: [ICON],
    uses: threads.name,
    complete: { id: complete },
  } as const;

  async function read(uri: string, id: string, context: ToolContext, before?: number) {
    // What is no id stands at no address; another's is as unknown as one that never was.
    if (!isId(id, 'conv')) throw nothingThere();
    const page = { limit: MAX_PAGE_TURNS, max_chars: MAX_PAGE_CHARS };
    const args = { action: 'show', id, ...page, ...(before !== undefined && { before }) };
    const answer = await threads.run(threads.parse(args), context);
    if ('asks' in answer) return answer;
    return [{ uri, mimeType: MIME_TYPE, text: threadPage(answer.content as ShownThread) }];
  }

  return [
    {
      ...common,
      uriTemplate: `${THREADS_URI}/{id}`,
      tellsChanges: true,
      name: 'thread',
      title: 'Conversation',
      description: 'What was said last in a conversation of yours, and where the rest is.',
      read: ({ id = '' }, uri, context) => read(uri, id, context),
    },
    {
      ...common,
      uriTemplate: `${THREADS_URI}/{id}/before/{turn}`,
      name: 'thread_before',
      title: 'Earlier in a conversation',
      description: 'What was said before a turn of a conversation of yours.',
      read({ id = '', turn = '' }, uri, context) {
        if (!TURN.test(turn)) throw nothingThere();
        return read(uri, id, context, Number(turn));
      },
    },
  ];
}

function nothingThere(): CallError {
  return new CallError('not_found', 'There is no conversation at this address.', {
    field: 'uri',
    fix: `${THREADS_URI} has the addresses of yours.`,
  });
}
