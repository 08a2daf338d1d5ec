import { CallError } from '#core/call-error.ts';

export interface Problem {
  /** The setting, variable, flag or file at fault. */
  readonly field: string;
  /** A whole sentence, without the value of any secret. */
  readonly message: string;
  readonly fix: string;
}

/**
 * What loading finds on its way. Problems are gathered, so that a user corrects them in one go. A file may have
 * thousands: only those that will be listed are put into words, the others counted.
 */
export interface Report {
  problem(describe: () => Problem): void;
  /** What works but should be known, a sentence each. */
  notice(describe: () => string): void;
  readonly notices: readonly string[];
  /** All problems as one error, if there are any. */
  refusal(): CallError | undefined;
}

const MAX_LISTED = 20;

export function createReport(): Report {
  const problems = createList<Problem>();
  const notices = createList<string>();
  return {
    problem: problems.add,
    notice: notices.add,
    get notices() {
      return [...notices.listed, ...andMore(notices)];
    },
    refusal() {
      const [first] = problems.listed;
      if (!first) return undefined;
      const message = problems.count() === 1 ? first.message : summary(problems);
      const fix = [...new Set(problems.listed.map((problem) => problem.fix))].join(' ');
      return new CallError('validation', message, { field: first.field, fix });
    },
  };
}

interface List<Item> {
  readonly add: (describe: () => Item) => void;
  readonly listed: readonly Item[];
  readonly count: () => number;
}

function createList<Item>(): List<Item> {
  const listed: Item[] = [];
  let count = 0;
  return {
    add(describe) {
      if (count < MAX_LISTED) listed.push(describe());
      count++;
    },
    listed,
    count: () => count,
  };
}

function summary(problems: List<Problem>): string {
  const head = `The configuration has ${problems.count().toLocaleString('en')} faults:`;
  const lines = problems.listed.map(({ message }) => `- ${message}`);
  return [head, ...lines, ...andMore(problems)].join('\n');
}

function andMore({ listed, count }: Pick<List<unknown>, 'listed' | 'count'>): string[] {
  const more = count() - listed.length;
  return more === 0 ? [] : [`… and ${more.toLocaleString('en')} more`];
}
