import { questionNumbered, type Question } from './questions.ts';
import { openSession, type Reply, type Session } from './session.ts';

const SESSIONS = 5;
const IN_FLIGHT_EACH = 4;
export const IN_FLIGHT = SESSIONS * IN_FLIGHT_EACH;
/** The emulator remembers a thousand requests; one question is never more than a few of them. */
const LOOK_EVERY = 100;

/** A question with what came of it. */
export interface Answered extends Reply {
  readonly question: Question;
  readonly elapsedMs: number;
}

export interface Load {
  /**
   * Asks without a pause until told to stop; `onMany` is called again and again in between, and at
   * the end.
   */
  run(isOver: () => boolean, onMany: () => void): Promise<readonly Answered[]>;
}

/** Twenty questions at a time. */
export async function openLoad(url: string): Promise<Load> {
  const sessions: Session[] = [];
  while (sessions.length < SESSIONS) sessions.push(await openSession(url));
  let number = 0;
  return {
    async run(isOver, onMany) {
      const all: Answered[] = [];
      const worker = async (session: Session) => {
        while (!isOver()) {
          const question = questionNumbered((number += 1));
          const startedAt = performance.now();
          const reply = await session.chat(question.args);
          all.push({ question, ...reply, elapsedMs: performance.now() - startedAt });
          if (all.length % LOOK_EVERY === 0) onMany();
        }
      };
      const workers = sessions.flatMap((session) =>
        Array.from({ length: IN_FLIGHT_EACH }, () => worker(session)),
      );
      await Promise.all(workers);
      onMany();
      return all;
    },
  };
}
