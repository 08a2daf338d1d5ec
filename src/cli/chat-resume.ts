import { CallError } from '#core/call-error.ts';
import { threadsOver, type Connect } from './chat-connect.ts';
import type { ChatState } from './chat-state.ts';
import type { Paint } from './paint.ts';
import { harmless } from './terminal-text.ts';
import { speaker } from './thread-markdown.ts';
import { turnCount } from './turn-count.ts';
import { wholeWords } from './whole-words.ts';

export interface Resumed {
  readonly state: ChatState;
  /** What was said last, for whoever goes on. */
  readonly shown: string;
}

const MAX_SHOWN_CHARS = 1_000;
const MAX_ASKED_CHARS = 200;
/** How far back a chat is looked for; workflows of a busy day may lie between. */
const MAX_LOOKED_AT = 20;
const CHAT = 'chat';

/** Goes on with a conversation; without an id with the last chat that is not this one. */
export async function resume(
  state: ChatState,
  id: string | undefined,
  connect: Connect,
  paint: Paint,
): Promise<Resumed> {
  const { thread, turns } = await connect(async (client) => {
    const call = threadsOver(client);
    const wanted = id ?? (await newest(call, state.thread?.id));
    return call('show', { id: wanted, limit: 2, max_chars: MAX_SHOWN_CHARS });
  });
  const { title, model } = thread;
  const lines = turns.map((turn) => {
    const who = paint('bold', harmless(speaker(turn)));
    const rest =
      turn.left_out === undefined
        ? ''
        : paint('dim', ` … (${turn.left_out} more characters: /save)`);
    const text = turn.role === 'user' ? wholeWords(turn.text, MAX_ASKED_CHARS) : turn.text;
    return `${who}\n${harmless(text)}${rest}`;
  });
  const head = paint(
    'dim',
    harmless(`${wholeWords(title, 72)} (${thread.id}, ${turnCount(thread.turns)})`),
  );
  return {
    state: { ...state, thread: { id: thread.id, ...(model !== undefined && { model }) } },
    shown: [head, ...lines].join('\n'),
  };
}

/** The one that was chatted in last; where there is none, the last of any tool. */
async function newest(
  call: ReturnType<typeof threadsOver>,
  current: string | undefined,
): Promise<string> {
  const { threads } = await call('list', { limit: MAX_LOOKED_AT });
  const others = threads.filter(({ id }) => id !== current);
  for (const { id } of others) {
    const { turns } = await call('show', { id, limit: 1, max_chars: 100 });
    if (turns[0]?.tool === CHAT) return id;
  }
  const [found] = others;
  if (found) return found.id;
  throw new CallError('not_found', 'There is no earlier conversation to go on with.', {
    fix: 'Just write, and one begins.',
  });
}
