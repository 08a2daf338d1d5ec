import type { ExplanationContent } from './explanation.ts';

type Told = Pick<ExplanationContent, 'tried' | 'plan' | 'left_out'>;

/**
 * The same explanation, in which nothing is said twice on one page: who is left out has a part of its own, and so have the rules
 * that found nobody.
 */
export function toldOnce<T extends Told>(content: T): T {
  const { tried, plan, left_out: leftOut } = content;
  const remark = remarkOf(tried.find(({ verdict }) => verdict === 'wins')?.because ?? '');
  const isList = leftOut.some(({ because }) => remark.includes(because));
  const without = (sentence: string) =>
    isList ? sentence.replace(` (${remark})`, '').replace(`: ${remark}`, '') : sentence;
  const missed = new Set(
    tried.map(({ number, rule, because }) => `Rule ${number} (${rule}) found nobody: ${because}.`),
  );
  return {
    ...content,
    tried: tried.map((trial) => ({ ...trial, because: without(trial.because) })),
    ...(plan && {
      plan: {
        ...plan,
        because: plan.because.filter((sentence) => !missed.has(sentence)).map(without),
        candidates: plan.candidates.map((each) => ({ ...each, because: without(each.because) })),
        notices: plan.notices.map(without),
      },
    }),
  };
}

/** What stands in brackets at the end of a sentence, others in it among them; nothing where there is none. */
function remarkOf(sentence: string): string {
  if (!sentence.endsWith(')')) return '';
  let depth = 0;
  for (let at = sentence.length - 1; at >= 0; at -= 1) {
    if (sentence[at] === ')') depth += 1;
    else if (sentence[at] === '(') depth -= 1;
    if (depth === 0) return sentence.slice(at + 1, -1);
  }
  return '';
}
