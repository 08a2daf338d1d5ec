import type { ToolAnswer } from '#core/tool.ts';
import type { Decision } from './decide.ts';
import { mergeFindings } from './merge-findings.ts';
import { earlyEnd, noteOf, stepContent, type TakenStep } from './step-answer.ts';
import { counted, findingLines, paragraphs, titled } from './words.ts';
import { consolidate } from './consolidate.ts';
import { workDone } from './work-done.ts';

/** The work is over, and nobody else was asked. */
export function endAnswer(
  taken: TakenStep,
  { status, skipped, because, early }: Extract<Decision, { is: 'end' }>,
): Omit<ToolAnswer, 'continuation'> {
  const { definition, state, gathered } = taken;
  const findings = mergeFindings(consolidate(state).issues, []);
  const sentence =
    findings.length === 0
      ? 'Tell the user what was found.'
      : 'Tell the user what was found, and deal with the findings, the worst first.';
  const done = workDone(taken);
  return {
    status,
    text: paragraphs([
      `${definition.title}: done after ${counted(state.steps.length, 'step')}. ${skipped?.reason ?? `No expert was asked: ${because}.`}`,
      titled('Findings', findingLines(findings)),
      done.work_summary,
      gathered.words ?? '',
      noteOf(taken),
    ]),
    content: {
      ...stepContent(taken, status, 'no'),
      [`${definition.stem}_complete`]: true,
      ...earlyEnd(taken, early),
      ...(skipped && { expert_analysis: skipped }),
      findings,
      [`complete_${definition.name}`]: done,
      next_steps: sentence,
    },
    notices: taken.notices,
  };
}
