import type { Book } from './book.ts';
import { answerTo, mayBeAsked, subjectOf, type Subject } from './questions.ts';
import type { SeededRandom } from './random.ts';
import type { Can, Question } from './client-protocols.ts';
import type { Simulation } from './simulation.ts';

/**
 * `no`: declines, or refuses to be asked. `silent`: often says nothing at all. `twice`: says two
 * different things.
 */
export type Manner = 'willing' | 'no' | 'silent' | 'twice';

export interface AnsweringOptions {
  readonly name: string;
  readonly can: Can;
  readonly manner: Manner;
  readonly simulation: Simulation;
  readonly random: SeededRandom;
  readonly book: Book;
}

/** What a client says when it is asked. */
export interface Answering {
  /** An answer like no other, noted in the book for those calls that it may be for. */
  answer(name: string, question: Question, marks: readonly string[]): object;
  /** How long it thinks. */
  thinkMs(): number;
  checkAskable(question: Question): void;
}

export function createAnswering(options: AnsweringOptions): Answering {
  const { name: client, can, manner, simulation, random, book } = options;
  let words = 0;
  return {
    answer(name, question, marks) {
      const will = manner === 'no' && random.chance(0.6) ? 'no' : 'yes';
      const answer = answerTo(question, `${client}-word-${++words}`, will);
      for (const mark of marks) book.answered(mark, name, answer);
      return answer;
    },
    thinkMs: () => (random.chance(0.3) ? random.between(100, 1200) : random.between(0, 40)),
    checkAskable(question) {
      if (!mayBeAsked(question, can))
        simulation.violate(
          'clientCapabilities',
          `${client} is asked ${question.method}, which it cannot be`,
        );
    },
  };
}

/** The questions that a legacy client was asked over one connection, or in one session. */
export interface AskedOf {
  /** `marks`: of the calls it may belong to. */
  hear(id: string, question: Question, marks: (subject: Subject) => string[]): void;
  withdrawn(id: string): void;
  /**
   * A call has its answer, on a line that keeps its order: nothing may be asked for it any more.
   */
  settled(mark: string): void;
  /** Nobody hears the answers any more. */
  end(): void;
}

/**
 * Answers after a while, in the client's manner. What was taken back meanwhile is answered all the
 * same now and then.
 */
export function createAskedOf(
  options: AnsweringOptions,
  answering: Answering,
  send: (text: string) => void,
): AskedOf {
  const { name: client, manner, simulation, random } = options;
  const open = new Map<string, readonly string[]>();
  const heard = new Set<string>();
  let isOver = false;

  function reply(id: string, question: Question, marks: readonly string[]): void {
    if (isOver || (!open.has(id) && random.chance(0.7))) return;
    open.delete(id);
    const isRefused = manner === 'no' && random.chance(0.5);
    const { name } = subjectOf(question);
    const said = isRefused
      ? { error: { code: -1, message: 'not now' } }
      : { result: answering.answer(name, question, marks) };
    send(JSON.stringify({ jsonrpc: '2.0', id, ...said }));
  }

  return {
    hear(id, question, marksOf) {
      if (heard.has(id)) simulation.violate('asked', `${client} is asked ${id} twice`);
      heard.add(id);
      answering.checkAskable(question);
      const marks = marksOf(subjectOf(question));
      open.set(id, marks);
      if (manner === 'silent' && random.chance(0.5)) return;
      simulation.after(answering.thinkMs(), () => reply(id, question, marks));
      if (manner === 'twice')
        simulation.after(answering.thinkMs(), () => reply(id, question, marks));
    },
    withdrawn(id) {
      if (!heard.has(id))
        simulation.violate(
          'asked',
          `${client} hears that ${id} is taken back, which it was not asked`,
        );
      open.delete(id);
    },
    settled(mark) {
      for (const [id, marks] of open)
        if (marks.length === 1 && marks[0] === mark)
          simulation.violate('asked', `${mark} has its answer, and ${client} is still asked ${id}`);
    },
    end: () => void (isOver = true),
  };
}
