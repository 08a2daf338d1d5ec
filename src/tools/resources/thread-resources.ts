import { CallError } from '#core/errors/call-error.ts';
import { isId } from '#core/ids.ts';
import type { Complete } from '#core/tools/prompt.ts';
import type { Resource, ResourceTemplate } from '#core/tools/resource.ts';
import type { Tool, ToolContext } from '#core/tools/tool.ts';
import { ICON } from '../icon.ts';

export const THREADS_URI = 'exai://threads';
const MIME_TYPE = 'application/json';
const MAX_LISTED = 100;

interface Listed {
  readonly threads: readonly { readonly id: string }[];
  readonly next?: string;
}

export function threadUri(id: string): string {
  return `${THREADS_URI}/${id}`;
}

/** The caller's conversations as the tool `threads` lists them, each with its URI. */
export function threadListResource(threads: Tool): Resource {
  return {
    uri: THREADS_URI,
    subscribable: true,
    name: 'threads',
    title: 'Conversations',
    description: 'Your conversations, the newest first; exai://threads/{id} has what was said.',
    mimeType: MIME_TYPE,
    icons: [ICON],
    uses: threads.name,
    async read(context) {
      const args = threads.parse({ action: 'list', limit: MAX_LISTED });
      const answer = await threads.run(args, context);
      if ('inputRequests' in answer) return answer;
      const { threads: rows, next } = answer.content as Listed;
      const text = JSON.stringify({
        threads: rows.map((row) => ({ ...row, uri: threadUri(row.id) })),
        ...(next !== undefined && { note: olderNote(threads.name, next) }),
      });
      return [{ uri: THREADS_URI, mimeType: MIME_TYPE, text }];
    },
  };
}

function olderNote(tool: string, before: string): string {
  const args = JSON.stringify({ action: 'list', before });
  return `There are older ones: the tool ${tool} lists them with ${args}.`;
}

/** A conversation as the tool `threads` shows it. */
interface ShownThread {
  readonly thread: { readonly id: string };
  /** Oldest first. */
  readonly turns: readonly ShownTurn[];
}

interface ShownTurn {
  readonly turn: number;
  readonly text: string;
  /** Number of characters cut off. */
  readonly left_out?: number;
}

/** Limits of a page, in turns and characters, so that a client's model can take it in. */
const MAX_PAGE_TURNS = 50;
const MAX_PAGE_CHARS = 60_000;
/** More than any turn has. */
const WHOLE_CHARS = 8_000_000;

/**
 * Renders the newest turns that fit into a page, always including the last, with a link to the
 * older ones.
 */
function threadPage({ thread, turns }: ShownThread): string {
  const shown = newestWithin(turns, MAX_PAGE_CHARS);
  const first = shown[0]?.turn ?? 1;
  const cut = shown.find(({ left_out: leftOut }) => leftOut !== undefined);
  return JSON.stringify({
    thread,
    turns: shown,
    ...(first > 1 && { older: `${threadUri(thread.id)}/before/${first}` }),
    ...(cut && { note: longTurnNote(thread.id, cut.turn) }),
  });
}

function newestWithin(turns: readonly ShownTurn[], maxChars: number): readonly ShownTurn[] {
  let chars = 0;
  const over = turns.findLastIndex(({ text }) => (chars += text.length) > maxChars);
  return turns.slice(Math.min(over + 1, turns.length - 1));
}

function longTurnNote(id: string, turn: number): string {
  const args = { action: 'show', id, before: turn + 1, limit: 1, max_chars: WHOLE_CHARS };
  return `Turn ${turn} is longer than a page: the tool threads shows all of it with ${JSON.stringify(args)}.`;
}

const TURN = /^[1-9]\d{0,5}$/;

/** Templates for the turns of a conversation: the newest, and the pages before them. */
export function threadTemplates(threads: Tool, complete: Complete): readonly ResourceTemplate[] {
  const common = {
    mimeType: MIME_TYPE,
    icons: [ICON],
    uses: threads.name,
    complete: { id: complete },
  } as const;

  async function read(uri: string, id: string, context: ToolContext, before?: number) {
    // An invalid id and another caller's conversation are both not found.
    if (!isId(id, 'conv')) throw nothingThere();
    const page = { limit: MAX_PAGE_TURNS, max_chars: MAX_PAGE_CHARS };
    const args = { action: 'show', id, ...page, ...(before !== undefined && { before }) };
    const answer = await threads.run(threads.parse(args), context);
    if ('inputRequests' in answer) return answer;
    return [{ uri, mimeType: MIME_TYPE, text: threadPage(answer.content as ShownThread) }];
  }

  return [
    {
      ...common,
      uriTemplate: `${THREADS_URI}/{id}`,
      subscribable: true,
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
