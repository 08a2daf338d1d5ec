import type { AskReport } from '#core/llm/ask.ts';
import type { Json } from '#core/json/json.ts';
import type { ToolContext } from '#core/tools/tool.ts';
import { readOpinion } from './opinion.ts';
import type { PanelistAnswer, PanelistReply } from './result.ts';

/**
 * Replies that an interrupted run of the same call received before a restart, so that no model is
 * asked twice.
 */
export interface ConsensusCheckpoint {
  find(round: 1 | 2, label: string): PanelistAnswer | undefined;
  /** Saves a reply for a later run. */
  save(round: 1 | 2, label: string, reply: PanelistReply): void;
  /** Reports of the restored replies, whose cost belongs to this call. */
  readonly reports: readonly AskReport[];
}

/** A stored reply. The opinion is parsed from the answer again. */
type StoredReply = Omit<PanelistAnswer, 'opinion'>;
type StoredReplies = Record<string, PanelistAnswer>;

export function openCheckpoint(
  context: Pick<ToolContext, 'resumedFrom' | 'checkpoint'>,
): ConsensusCheckpoint {
  const before = readStoredReplies(context.resumedFrom);
  const replies: Record<string, StoredReply> = Object.fromEntries(
    Object.entries(before).map(([key, reply]) => [key, toStoredReply(reply)]),
  );
  return {
    find: (round, label) => before[keyOf(round, label)],
    save(round, label, reply) {
      const key = keyOf(round, label);
      if (reply.is !== 'answered' || before[key]) return;
      replies[key] = toStoredReply(reply);
      context.checkpoint({ heard: JSON.parse(JSON.stringify(replies)) as Json });
    },
    reports: Object.values(before).flatMap(({ report }) => report ?? []),
  };
}

function toStoredReply({ is, answer, elapsedMs, report }: PanelistAnswer): StoredReply {
  return { is, answer, elapsedMs, ...(report && { report }) };
}

function keyOf(round: 1 | 2, label: string): string {
  return `${round} ${label}`;
}

/** An older version may have written anything. */
function readStoredReplies(state: Json | undefined): StoredReplies {
  const stored =
    typeof state === 'object' && state !== null && 'heard' in state ? state['heard'] : undefined;
  if (typeof stored !== 'object' || stored === null || Array.isArray(stored)) return {};
  const entries = Object.entries(
    stored as unknown as Record<string, Partial<StoredReply> | null>,
  ).flatMap(([key, reply]) => {
    const text: unknown = reply?.answer?.text;
    const opinion = reply?.is === 'answered' && typeof text === 'string' && readOpinion(text);
    return opinion ? [[key, { ...(reply as StoredReply), opinion }] as const] : [];
  });
  return Object.fromEntries(entries);
}
