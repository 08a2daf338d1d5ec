import type { RuleTrial } from '#core/route.ts';
import type { Placed } from './chain.ts';
import { outWords } from './out-words.ts';
import type { Rule, Situation, Wanted } from './rules/rule.ts';
import type { Out } from './situation.ts';

export interface Won {
  readonly rule: Rule;
  readonly placed: Placed;
}

/** The rules in their order, until one is about the request and finds somebody who can. */
export function tryRules(
  rules: readonly Rule[],
  situation: Situation,
): { readonly tried: readonly RuleTrial[]; readonly won?: Won } {
  const tried: RuleTrial[] = [];
  for (const rule of rules) {
    const { number, id, when } = rule;
    const applies = rule.applies(situation);
    if (applies.is === 'no') {
      tried.push({ number, id, when, verdict: 'does_not_apply', because: applies.because });
      continue;
    }
    const wanted = rule.wants(situation);
    const winner = wanted.find(({ model }) => situation.judge(model).is === 'able');
    if (!winner) {
      const because = `${applies.because}, but ${whyNobody(wanted, situation)}`;
      tried.push({ number, id, when, verdict: 'nobody_left', because });
      continue;
    }
    const because = `${applies.because}, so ${winner.so}${insteadOf(winner, wanted, situation)}`;
    tried.push({ number, id, when, verdict: 'wins', because });
    const { model, role } = winner;
    const placed = { model, ...(role && { role }), because: `Rule ${number}: ${because}` };
    return { tried, won: { rule, placed } };
  }
  return { tried };
}

function whyNobody(wanted: readonly Wanted[], situation: Situation): string {
  const words = outWords(outOf(wanted, situation));
  return words === '' ? 'no model is known for it' : words;
}

/** Who would have been asked first. */
function insteadOf(winner: Wanted, wanted: readonly Wanted[], situation: Situation): string {
  const before = outOf(wanted.slice(0, wanted.indexOf(winner)), situation);
  return before.length === 0 ? '' : ` (${outWords(before)})`;
}

function outOf(wanted: readonly Wanted[], { judge }: Situation): readonly Out[] {
  return wanted.flatMap(({ model }) => {
    const verdict = judge(model);
    return verdict.is === 'unable' ? [{ model, verdict }] : [];
  });
}
