import { notice } from '#core/messages/notices.ts';
import { baseRenderer } from '#core/messages/render.ts';
import { sourceContent, sourceList } from '../asking/sources.ts';
import type { ToolAnswer } from '#core/tool.ts';
import type { ExpertOutcome } from './ask-expert.ts';
import { consolidate } from './consolidate.ts';
import { readExpertAnswer, type ExpertReading, type ExpertWants } from './expert-answer.ts';
import type { AttributedFinding, Finding } from './finding.ts';
import { mergeFindings } from './merge-findings.ts';
import { doAgain, goOn } from './next-call.ts';
import { earlyEnd, noteOf, stepContent, type TakenStep } from './step-answer.ts';
import { findingLines, numbered, paragraphs, titled } from './words.ts';
import { wantedFiles } from './wanted-files.ts';
import { filesGiven, workDone } from './work-done.ts';

/** What comes of an expert, before the thread has said how it goes on. */
export interface ExpertTold {
  readonly answer: Omit<ToolAnswer, 'continuation'>;
  /** Whether the workflow is over with it. */
  readonly isOver: boolean;
}

/** A step with what its expert was given. */
export interface JudgedStep extends TakenStep {
  readonly early: string | undefined;
  readonly continuationId: string;
  /** How many files the expert read. */
  readonly filesRead: number;
}

export function tellExpert(judged: JudgedStep, outcome: ExpertOutcome): ExpertTold {
  if (outcome.is === 'failed') return { answer: failed(judged, outcome), isOver: false };
  const { wants } = outcome.reading;
  return wants
    ? { answer: paused(judged, outcome.reading, wants), isOver: false }
    : { answer: judgement(judged, outcome), isOver: true };
}

const CONSIDER =
  'The expert saw the findings and the files, but not the running system: check what it says against the code before you act on it.';
const CUT = notice('expert_answer_cut', {});

function judgement(
  judged: JudgedStep,
  { answer, reading }: Extract<ExpertOutcome, { is: 'answered' }>,
): ExpertTold['answer'] {
  const { text, citations, finish } = answer;
  const findings = allFindings(judged, reading.findings);
  const isCut = finish === 'length';
  return {
    status: 'calling_expert_analysis',
    text: `${readingText(reading, text, findings, judged)}${sourceList(citations)}`,
    content: {
      ...endContent(judged, 'calling_expert_analysis', findings),
      expert_analysis: {
        status: 'analysis_complete',
        ...readingContent(reading, text),
        // What was cut may say more than could be read of it.
        ...(isCut && { raw_analysis: text }),
        ...(citations.length > 0 && { citations: citations.map(sourceContent) }),
      },
      important_considerations: CONSIDER,
      next_steps:
        'Tell the user the verdict, check each finding against the code, then act on next_steps of the expert.',
    },
    ...(isCut && { detail: baseRenderer.notice(CUT) }),
    notices: [...judged.notices, ...(isCut ? [CUT] : [])],
  };
}

/** The expert cannot judge yet. */
function paused(
  judged: JudgedStep,
  reading: ExpertReading,
  wants: ExpertWants,
): ExpertTold['answer'] {
  const { definition, args, state, continuationId } = judged;
  const { status, instructions } = wants;
  const { files, notices } = wantedFiles(wants.files);
  const told = { ...judged, notices: [...judged.notices, ...notices] };
  const next = args.step_number + 1;
  const sentence = `Find what the expert asks for, then call ${definition.name} with step_number ${next}, next_step_required false and the files in relevant_files.`;
  return {
    status,
    text: paragraphs([
      'The expert needs more before it can judge.',
      instructions,
      titled('Files', files.map((file) => `- ${file}`).join('\n')),
      sentence,
      noteOf(told),
    ]),
    content: {
      ...stepContent(told, status, 'yes'),
      mandatory_instructions: instructions,
      files_needed: files,
      expert_analysis: { status, ...readingContent(reading, '') },
      [`complete_${definition.name}`]: workDone(judged),
      next_steps: sentence,
      next_call: goOn(definition, args, {
        continuationId,
        totalSteps: state.totalSteps,
        more: 'no',
        instead: { relevant_files: files },
      }),
    },
    notices: told.notices,
  };
}

/** Nobody finished an answer: what the caller did stands, and so does what had come. */
function failed(
  judged: JudgedStep,
  { error, partial }: Extract<ExpertOutcome, { is: 'failed' }>,
): ExpertTold['answer'] {
  const { definition, args, continuationId } = judged;
  const reading = readExpertAnswer(partial);
  const findings = allFindings(judged, reading.findings);
  const status = failureStatus(error.class, partial);
  const fix = error.fix === undefined ? '' : ` ${error.fix}`;
  const { step_number: number } = args;
  const again = `call ${definition.name} again with step_number ${number}, backtrack_from_step ${number} and this continuation_id`;
  const detail = `The expert gave no whole answer: ${error.message}${fix} All steps are kept; to ask once more, ${again}.`;
  return {
    status,
    detail,
    text: paragraphs([
      detail,
      ...(partial === '' ? [] : [readingText(reading, partial, findings, judged)]),
    ]),
    content: {
      ...endContent(judged, status, findings),
      expert_analysis: {
        status,
        error_class: error.class,
        detail: error.message,
        ...(partial !== '' && { ...readingContent(reading, partial), raw_analysis: partial }),
      },
      next_steps: 'Call again as next_call says to ask the expert once more, or go on without it.',
      next_call: doAgain(definition, args, continuationId, error.field),
    },
    notices: judged.notices,
  };
}

function failureStatus(errorClass: string, partial: string): string {
  if (partial !== '') return 'analysis_partial';
  return errorClass === 'timeout' ? 'analysis_timeout' : 'analysis_error';
}

function endContent(
  judged: JudgedStep,
  status: string,
  findings: readonly AttributedFinding[],
): Record<string, unknown> {
  const { definition, early, filesRead } = judged;
  return {
    ...stepContent(judged, status, 'no'),
    [`${definition.stem}_complete`]: true,
    ...earlyEnd(judged, early),
    findings,
    [`complete_${definition.name}`]: workDone(judged),
    file_context: filesGiven(filesRead),
  };
}

const MAX_FINDINGS = 500;

function allFindings({ state }: JudgedStep, found: readonly Finding[]) {
  return mergeFindings(consolidate(state).issues, found).slice(0, MAX_FINDINGS);
}

function readingContent({ format, summary, findings, nextSteps }: ExpertReading, raw: string) {
  if (format === 'text') return { format, ...(raw !== '' && { raw_analysis: raw }) };
  return { format, summary, findings, next_steps: nextSteps };
}

function readingText(
  { format, summary, nextSteps }: ExpertReading,
  raw: string,
  findings: readonly AttributedFinding[],
  judged: JudgedStep,
): string {
  return paragraphs([
    format === 'text' ? raw : summary,
    titled('Findings', findingLines(findings)),
    titled('Next steps', numbered(nextSteps)),
    noteOf(judged),
  ]);
}
