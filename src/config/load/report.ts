import { CallError } from '#core/errors/call-error.ts';
import { advice, type Fix } from '#core/messages/fixes.ts';
import { notice, type Notice } from '#core/messages/notices.ts';
import { baseRenderer } from '#core/messages/render.ts';

export interface ConfigProblem {
  /** The setting, variable, flag or file at fault. */
  readonly field: string;
  /** A whole sentence, without the value of any secret. */
  readonly message: string;
  readonly fixes: readonly (Fix | string)[];
}

/**
 * Collects problems and notices while the configuration is loaded, so that a user can fix all
 * problems at once. A file may have thousands: only those that will be listed are formatted, the
 * others are counted.
 */
export interface ConfigReport {
  problem(describe: () => ConfigProblem): void;
  /** Things that work but that the user should know. */
  notice(describe: () => Notice): void;
  readonly notices: readonly Notice[];
  /** All problems as one error, if there are any. */
  refusal(): CallError | undefined;
}

const MAX_LISTED = 20;

export function createReport(): ConfigReport {
  const problems = createList<ConfigProblem>();
  const notices = createList<Notice>();
  return {
    problem: problems.add,
    notice: notices.add,
    get notices() {
      const count = moreOf(notices);
      return [...notices.listed, ...(count === 0 ? [] : [notice('notices_cut', { count })])];
    },
    refusal() {
      const [first] = problems.listed;
      if (!first) return undefined;
      const message = problems.count() === 1 ? first.message : summary(problems);
      // With several problems each has to be fixed, so their fixes are not alternatives.
      const fixes =
        problems.count() === 1
          ? first.fixes
          : [...new Set(problems.listed.map((problem) => textOf(problem.fixes)))];
      return new CallError('validation', message, { field: first.field, fixes });
    },
  };
}

function textOf(fixes: ConfigProblem['fixes']): string {
  const text = baseRenderer.fixes(
    fixes.map((each) => (typeof each === 'string' ? advice(each) : each)),
  );
  return text;
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

type Counted = Pick<List<unknown>, 'listed' | 'count'>;

function summary(problems: List<ConfigProblem>): string {
  const head = `The configuration has ${problems.count().toLocaleString('en')} faults:`;
  const lines = problems.listed.map(({ message }) => `- ${message}`);
  return [head, ...lines, ...andMore(problems)].join('\n');
}

function andMore(list: Counted): string[] {
  const more = moreOf(list);
  return more === 0 ? [] : [`… and ${more.toLocaleString('en')} more`];
}

function moreOf({ listed, count }: Counted): number {
  return count() - listed.length;
}
