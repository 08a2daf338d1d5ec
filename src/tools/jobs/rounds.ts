import type { JobQuestions } from '#core/jobs.ts';
import type { Answers, Asking } from '#core/question.ts';

/** What a job asks, in names that tell its rounds apart: the answers of all of them come back together. */
export function askFor({ round, questions }: JobQuestions): Asking {
  const named = Object.entries(questions).map(
    ([name, question]) => [`${prefix(round)}${name}`, question] as const,
  );
  return { asks: Object.fromEntries(named) };
}

/** Those of one round, by the job's own names. */
export function answersOf(round: number, answers: Answers): Answers {
  const own = prefix(round);
  const entries = Object.entries(answers).flatMap(([name, answer]) =>
    name.startsWith(own) ? [[name.slice(own.length), answer] as const] : [],
  );
  return Object.fromEntries(entries);
}

function prefix(round: number): string {
  return `${round}:`;
}
