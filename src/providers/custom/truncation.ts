import { CallError } from '#core/call-error.ts';
import type { ChatEvent, ChatRequest } from '#core/chat.ts';
import { command, fix } from '#core/messages/fixes.ts';
import { notice, type Notice } from '#core/messages/notices.ts';
import { estimateChat } from '#models/estimate-chat.ts';
import type { Flavour } from './flavours.ts';

/** The smallest window that these servers come with; below it nothing can have been cut. */
const LEAST_WINDOW = 4_096;
/** Counts of different tokenizers differ; a prompt of which less than this share was read has been cut. */
const READ_SHARE = 0.6;

export interface TruncationWatch {
  readonly notices: readonly Notice[];
  /** A notice, when the server counted far fewer tokens than it was sent. */
  readonly before?: (event: ChatEvent) => ChatEvent | undefined;
}

const UNWATCHED: TruncationWatch = { notices: [] };

/**
 * Some servers cut a prompt that is too long and say nothing. A prompt that is longer than a known window is refused here; of an unknown
 * window the caller is warned; and what the server says it has read is compared with what it was sent.
 */
export function guardTruncation(
  { messages, tools }: ChatRequest,
  window: number | undefined,
  { title, tooLong }: Flavour,
): TruncationWatch {
  if (tooLong === 'refused') return UNWATCHED;
  const sent = estimateChat(messages, tools);
  if (window !== undefined && sent > window) {
    const message = `The prompt has about ${sent} tokens, and ${title} would silently cut it to its window of ${window}.`;
    throw new CallError('context_length', message, {
      contextTokens: window,
      fixes: [
        fix('send_less'),
        command('OLLAMA_CONTEXT_LENGTH=32768 ollama serve', 'give Ollama a larger window'),
      ],
    });
  }
  if (sent < LEAST_WINDOW) return UNWATCHED;
  const warning = notice('prompt_cut_possible', { model: title, tokens: sent });
  const before = (event: ChatEvent): ChatEvent | undefined => {
    if (event.type !== 'usage' || event.usage.estimated) return undefined;
    const { input } = event.usage;
    if (input >= sent * READ_SHARE) return undefined;
    const cut = { model: title, readTokens: input, sentTokens: sent };
    return { type: 'notice', notice: notice('prompt_cut', cut) };
  };
  return { notices: window === undefined ? [warning] : [], before };
}
