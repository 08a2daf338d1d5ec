import type { AskReport } from '#core/ask.ts';
import type { Json } from '#core/json.ts';
import type { ToolContext } from '#core/tool.ts';
import { readOpinion } from './opinion.ts';
import type { Answered, Reply } from './reply.ts';

/** What a run of the same call before a restart had heard: nobody is asked twice for it. */
export interface HeardBefore {
  of(round: 1 | 2, label: string): Answered | undefined;
  /** Keeps what a later run would need. */
  add(round: 1 | 2, label: string, reply: Reply): void;
  /** What that took, which this run did not ask for itself. */
  readonly reports: readonly AskReport[];
}

/** The opinion is read from the answer again, and not kept beside it. */
type Page = Omit<Answered, 'opinion'>;
type Book = Record<string, Answered>;

export function openHeardBefore(
  context: Pick<ToolContext, 'resumedFrom' | 'checkpoint'>,
): HeardBefore {
  const before = readBook(context.resumedFrom);
  const book: Record<string, Page> = Object.fromEntries(
    Object.entries(before).map(([key, reply]) => [key, pageOf(reply)]),
  );
  return {
    of: (round, label) => before[keyOf(round, label)],
    add(round, label, reply) {
      const key = keyOf(round, label);
      if (reply.is !== 'answered' || before[key]) return;
      book[key] = pageOf(reply);
      context.checkpoint({ heard: JSON.parse(JSON.stringify(book)) as Json });
    },
    reports: Object.values(before).flatMap(({ report }) => report ?? []),
  };
}

function pageOf({ is, answer, elapsedMs, report }: Answered): Page {
  return { is, answer, elapsedMs, ...(report && { report }) };
}

function keyOf(round: 1 | 2, label: string): string {
  return `${round} ${label}`;
}

/** Written by an older version of the program, it may be anything. */
function readBook(state: Json | undefined): Book {
  const heard =
    typeof state === 'object' && state !== null && 'heard' in state ? state['heard'] : undefined;
  if (typeof heard !== 'object' || heard === null || Array.isArray(heard)) return {};
  const entries = Object.entries(heard as unknown as Record<string, Partial<Page> | null>).flatMap(
    ([key, page]) => {
      const text: unknown = page?.answer?.text;
      const opinion = page?.is === 'answered' && typeof text === 'string' && readOpinion(text);
      return opinion ? [[key, { ...(page as Page), opinion }] as const] : [];
    },
  );
  return Object.fromEntries(entries);
}
