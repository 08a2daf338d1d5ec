import { CallError } from '#core/errors/call-error.ts';
import type { Paint } from '../format/colors.ts';
import { escapeControls } from '../format/escape-controls.ts';
import { describeTurnCount, truncateAtWord } from '../format/text.ts';
import { speakerName } from '../threads/thread-markdown.ts';
import { threadsTool, type ChatConnect } from './connect.ts';
import type { ChatScreen } from './screen.ts';
import type { ChatState } from './state.ts';

export interface ResumedChat {
  readonly state: ChatState;
  /** The last turns, for display. */
  readonly shown: string;
}

/** How the last turns are shown. */
export interface ResumeView extends Pick<ChatScreen, 'formatAnswer'> {
  readonly paint: Paint;
}

const MAX_SHOWN_CHARS = 1_000;
const MAX_ASKED_CHARS = 200;
/** How many threads are searched for a chat; workflows may lie between. */
const MAX_LOOKED_AT = 20;
const CHAT = 'chat';

/** Continues a conversation; without an id, the latest chat other than the current one. */
export async function resumeChat(
  state: ChatState,
  id: string | undefined,
  connect: ChatConnect,
  { paint, formatAnswer }: ResumeView,
): Promise<ResumedChat> {
  const { thread, turns } = await connect(async (client) => {
    const call = threadsTool(client);
    const wanted = id ?? (await newest(call, state.thread?.id));
    return call('show', { id: wanted, limit: 2, max_chars: MAX_SHOWN_CHARS });
  });
  const { title, model } = thread;
  const lines = turns.map((turn) => {
    const who = paint('bold', escapeControls(speakerName(turn)));
    const rest =
      turn.left_out === undefined
        ? ''
        : paint('dim', ` … (${turn.left_out} more characters: /save)`);
    const text =
      turn.role === 'user'
        ? escapeControls(truncateAtWord(turn.text, MAX_ASKED_CHARS))
        : formatAnswer(turn.text, state.display);
    return `${who}\n${text}${rest}`;
  });
  const head = paint(
    'dim',
    escapeControls(
      `${truncateAtWord(title, 72)} (${thread.id}, ${describeTurnCount(thread.turns)})`,
    ),
  );
  return {
    state: { ...state, thread: { id: thread.id, ...(model !== undefined && { model }) } },
    shown: [head, ...lines].join('\n'),
  };
}

/** The id of the latest chat; without any, of the latest thread of any tool. */
async function newest(
  call: ReturnType<typeof threadsTool>,
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
  throw new CallError('not_found', 'There is no earlier conversation to continue.', {
    fix: 'Just write, and one begins.',
  });
}
