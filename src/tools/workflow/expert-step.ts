import { notice } from '#core/messages/notices.ts';
import { baseRenderer } from '#core/messages/render.ts';
import type { ToolResult, ToolContext } from '#core/tools/tool.ts';
import type { LoadedFiles } from '#core/files/file-intake.ts';
import { withMedia } from '../shared/attachments.ts';
import { citationContent, formatCitations } from '../shared/citations.ts';
import { answerTurn, stickyModel, withHistory } from '../shared/thread-io.ts';
import { throughWrapper, wrappedCallText } from '../shared/wrapped-call.ts';
import { consolidate } from './consolidate.ts';
import {
  askExpert,
  readExpertAnswer,
  type ExpertNeeds,
  type ExpertOutcome,
  type ExpertReading,
} from './expert-answer.ts';
import { expertRequest } from './expert-request.ts';
import { stateSeenFrom } from './step-paths.ts';
import { mergeFindings, type AttributedFinding, type Finding } from './findings.ts';
import { joinParagraphs, numberedList, renderFindings, withTitle } from './format.ts';
import { nextStepCall, retryStepCall } from './next-call.ts';
import {
  earlyEnd,
  filesForExpert,
  renderNote,
  stepContent,
  workSummary,
  type TakenStep,
} from './step-content.ts';
import { requestedFiles } from './expert-files.ts';
import { saveExpertAnswer, saveStep, type OpenStep, type SavedAnswer } from './workflow-storage.ts';

/** Runs the last step with an expert. Files are read only after the step is saved. */
export async function judgeStep(
  step: OpenStep,
  early: string | undefined,
  locale: string,
  context: ToolContext,
  readFiles: () => Promise<LoadedFiles>,
): Promise<ToolResult> {
  const { taken, thread, earlierTurns } = step;
  const { definition, args, state, roots, gathered } = taken;
  const saved = await saveStep(step, state, undefined);
  const read = await readFiles();
  const material = [...read.texts, ...gathered.texts];
  const { images: _, ...rest } = args;
  const seen = stateSeenFrom(state, roots);
  const request = withMedia(expertRequest(definition, rest, seen, material, locale), read.media);
  // Its own steps are already in the findings.
  const history = thread.historyWithout(new Set(earlierTurns));
  const outcome = await askExpert(withHistory(request, { history, model: thread.model }), context);
  const { answer, isOver } = renderExpertResult(
    {
      ...taken,
      notices: [...taken.notices, ...read.notices],
      early,
      continuationId: saved.id,
      filesRead: read.texts.length,
    },
    outcome,
  );
  if (outcome.is === 'failed') return { ...answer, continuation: saved };
  const turn = answerTurn(definition.name, answer.text, outcome.answer);
  const answered = await saveExpertAnswer(
    step,
    turn,
    stickyModel(outcome.answer),
    isOver ? 'over' : 'open',
  );
  return withNotices(answer, answered);
}

function withNotices(
  answer: Omit<ToolResult, 'continuation'>,
  { continuation, notices }: SavedAnswer,
): ToolResult {
  if (notices.length === 0) return { ...answer, ...(continuation && { continuation }) };
  const { detail, notices: before = [] } = answer;
  const sentences = notices.map(baseRenderer.notice);
  return {
    ...answer,
    text: joinParagraphs([answer.text, ...sentences.map((sentence) => `[${sentence}]`)]),
    detail: [...(detail === undefined ? [] : [detail]), ...sentences].join('\n'),
    notices: [...before, ...notices],
    ...(continuation && { continuation }),
  };
}

/** The answer built from the expert's outcome, before it is saved. */
interface ExpertResult {
  readonly answer: Omit<ToolResult, 'continuation'>;
  /** Whether the workflow ends with it. */
  readonly isOver: boolean;
}

/** A step with what its expert received. */
interface JudgedStep extends TakenStep {
  readonly early: string | undefined;
  readonly continuationId: string;
  /** Number of files the expert read. */
  readonly filesRead: number;
}

function renderExpertResult(judged: JudgedStep, outcome: ExpertOutcome): ExpertResult {
  if (outcome.is === 'failed') return { answer: failed(judged, outcome), isOver: false };
  const { needs: wants } = outcome.reading;
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
): ExpertResult['answer'] {
  const { text, citations, finish } = answer;
  const findings = allFindings(judged, reading.findings);
  const isCut = finish === 'length';
  return {
    status: 'calling_expert_analysis',
    text: `${readingText(reading, text, findings, judged)}${formatCitations(citations)}`,
    content: {
      ...endContent(judged, 'calling_expert_analysis', findings),
      expert_analysis: {
        status: 'analysis_complete',
        ...readingContent(reading, text),
        // A cut answer may say more than could be parsed.
        ...(isCut && { raw_analysis: text }),
        ...(citations.length > 0 && { citations: citations.map(citationContent) }),
      },
      important_considerations: CONSIDER,
      next_steps:
        'Tell the user the verdict, check each finding against the code, then act on next_steps of the expert.',
    },
    ...(isCut && { detail: baseRenderer.notice(CUT) }),
    notices: [...judged.notices, ...(isCut ? [CUT] : [])],
  };
}

/** The answer if the expert needs more before it can judge. */
function paused(
  judged: JudgedStep,
  reading: ExpertReading,
  wants: ExpertNeeds,
): ExpertResult['answer'] {
  const { definition, args, state, continuationId } = judged;
  const { status, instructions } = wants;
  const { files, notices } = requestedFiles(wants.files);
  const annotated = { ...judged, notices: [...judged.notices, ...notices] };
  const next = args.step_number + 1;
  const call = describeCall(judged, { step_number: next, next_step_required: false });
  const sentence = `Find what the expert asks for, then call ${call} and the files in relevant_files.`;
  return {
    status,
    text: joinParagraphs([
      'The expert needs more before it can judge.',
      instructions,
      withTitle('Files', files.map((file) => `- ${file}`).join('\n')),
      sentence,
      renderNote(annotated),
    ]),
    content: {
      ...stepContent(annotated, { status, nextStepRequired: true }),
      mandatory_instructions: instructions,
      files_needed: files,
      expert_analysis: { status, ...readingContent(reading, '') },
      [`complete_${definition.name}`]: workSummary(judged),
      next_steps: sentence,
      next_call: throughWrapper(
        nextStepCall(definition, args, {
          continuationId,
          totalSteps: state.totalSteps,
          hasMore: false,
          instead: { relevant_files: files },
        }),
        judged.caller.via,
      ),
    },
    notices: annotated.notices,
  };
}

/** The answer if the expert failed: it contains the caller's work and the partial answer. */
function failed(
  judged: JudgedStep,
  { error, partial }: Extract<ExpertOutcome, { is: 'failed' }>,
): ExpertResult['answer'] {
  const { definition, args, continuationId } = judged;
  const reading = readExpertAnswer(partial);
  const findings = allFindings(judged, reading.findings);
  const status = failureStatus(error.class, partial);
  const fix = error.fix === undefined ? '' : ` ${error.fix}`;
  const { step_number: number } = args;
  const again = describeCall(judged, { step_number: number, backtrack_from_step: number });
  const detail = `The expert gave no whole answer: ${error.message}${fix} All steps are saved; to ask again, call ${again} and this continuation_id.`;
  return {
    status,
    detail,
    failure: error,
    text: joinParagraphs([
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
      next_steps: 'Call again with next_call to ask the expert again, or continue without it.',
      next_call: throughWrapper(
        retryStepCall(definition, args, continuationId, error.field),
        judged.caller.via,
      ),
    },
    notices: judged.notices,
  };
}

/** The next call in words, up to its last argument. */
function describeCall(
  { definition, caller, continuationId }: JudgedStep,
  args: Readonly<Record<string, number | boolean>>,
): string {
  const { name: tool } = definition;
  if (caller.via === undefined) {
    const given = Object.entries(args).map(([name, value]) => `${name} ${value}`);
    return `${tool} with ${given.join(', ')}`;
  }
  const all = { ...args, continuation_id: continuationId };
  return `${wrappedCallText({ tool, arguments: all }, caller.via)}, with the other arguments of a step`;
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
    ...stepContent(judged, { status, nextStepRequired: false }),
    [`${definition.stem}_complete`]: true,
    ...earlyEnd(judged, early),
    findings,
    [`complete_${definition.name}`]: workSummary(judged),
    file_context: filesForExpert(filesRead),
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
  return joinParagraphs([
    format === 'text' ? raw : summary,
    withTitle('Findings', renderFindings(findings)),
    withTitle('Next steps', numberedList(nextSteps)),
    renderNote(judged),
  ]);
}
