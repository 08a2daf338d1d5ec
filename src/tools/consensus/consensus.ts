import * as z from 'zod';
import type { AskRequest } from '#core/llm/ask.ts';
import type { NewTurn } from '#core/stores/conversations.ts';
import type { Threads } from '#core/threads.ts';
import { CALL_TIME_HELP, MODEL_TOOL_TIMEOUT_MS } from '#core/time/call-times.ts';
import type { Clock } from '#core/time/clock.ts';
import { defineTool } from '#core/tools/define-tool.schema.ts';
import type { AskMany, Tool } from '#core/tools/tool.ts';
import type { ModelDirectory } from '#models/model-directory.ts';
import {
  loadAttachments,
  previewFiles,
  withMedia,
  type AttachmentDeps,
} from '../shared/attachments.ts';
import * as fields from '../shared/fields.ts';
import { noticeFields, renderNotices } from '../shared/notices.ts';
import { saveTurns } from '../shared/thread-io.ts';
import { costShare, totalUsage } from './allocation.ts';
import { openCheckpoint } from './checkpoint.ts';
import {
  attachedFiles,
  consensusFields,
  readCostLimit,
  readPanel,
  readQuestion,
  readQuorum,
  type ConsensusArgs,
} from './input.ts';
import { renderConsensus } from './render.ts';
import { firstRequest } from './requests.ts';
import {
  consensusContent,
  ConsensusShape,
  consensusStatus,
  type PanelistResult,
} from './result.ts';
import { runConsensus } from './rounds.ts';

/** Help text of consensus for `search_tools`. */
const CONSENSUS_HELP = `How it works: one call does everything. All models are asked in parallel and independently; a failed model is not replaced, and no model summarises the result: you do.

Statuses:
- consensus_workflow_complete: the quorum was reached.
- consensus_incomplete: too few models answered; treat the answers as single opinions.
- error: no model answered, or the arguments are invalid.

What comes back:
- responses: for each model its stance, status (success, timeout, error), verdict, position (agree, disagree, mixed, unclear), confidence (0 to 1), reasons and risks; error where it is missing; after a second round letter, changed, change and before.
- agreements and disagreements: the positions with their models.
- quorum (needed, met, answered), rounds, next_steps.

The conversation is stored: continuation_id continues it with any tool. All rounds together count as one call. ${CALL_TIME_HELP}`;

export interface ConsensusDeps extends AttachmentDeps {
  readonly threads: Pick<Threads, 'open'>;
  readonly modelDirectory: Pick<ModelDirectory, 'models' | 'providers' | 'resolve'>;
  readonly clock: Pick<Clock, 'monotonic'>;
  readonly locale: string;
}

const NAME = 'consensus';

/** Asks several models the same question independently and compares their answers, in one call. */
export function consensus(deps: ConsensusDeps): Tool {
  const { threads, modelDirectory, clock, locale } = deps;
  return defineTool({
    name: NAME,
    title: 'Consensus',
    description:
      'Ask several models the same question at once, each without seeing the others, and compare what they say: for decisions that one opinion should not settle. One call does all of it.',
    help: CONSENSUS_HELP,
    input: z.strictObject(consensusFields),
    output: ConsensusShape,
    // It changes only its own conversation, so it needs no approval, but it is not idempotent.
    effect: 'reads',
    idempotent: false,
    openWorld: true,
    category: 'extended_reasoning',
    profile: 'lean',
    pool: 'provider',
    // Time for two rounds of the default length.
    timeoutMs: MODEL_TOOL_TIMEOUT_MS,
    resumable: true,
    previewAsk: (args) => previewAsk(args, deps),
    async run(args, context) {
      const request = readQuestion({ ...args, images: undefined });
      const panelists = readPanel(args, modelDirectory);
      const quorum = readQuorum(args, panelists);
      const about = args.prompt ?? args.step ?? '';
      const thread = await threads.open({
        principal: context.caller.principal,
        id: fields.continuationOf(args),
        about,
      });
      const view = await loadAttachments(
        { files: attachedFiles(args), images: args.images },
        thread,
        deps,
        context,
        { field: fileField(args), models: panelists.map(({ model }) => model) },
      );
      if ('inputRequests' in view) return view;
      const { messages } = withMedia(request, view.media);
      const asked = { ...request, messages: [...thread.history, ...messages] };
      const checkpoint = openCheckpoint(context);
      const { outcome, notices } = await runConsensus(
        {
          question: { request: asked, files: view.texts, locale },
          panelists,
          rounds: args.rounds,
          quorum,
          perModelMs: args.per_model_seconds * 1000,
          maxCostMicroUsd: readCostLimit(args),
        },
        { context, clock, checkpoint },
      );
      const text = renderConsensus(outcome);
      const saved = await saveTurns(thread, turnsOf(about, view.kept, text, outcome.results));
      const allNotices = [...view.notices, ...notices, ...saved.notices];
      return {
        status: consensusStatus(outcome),
        text: `${text}${renderNotices(allNotices)}`,
        content: consensusContent(outcome),
        ...noticeFields(allNotices),
        ...(saved.continuation && { continuation: saved.continuation }),
        ...(checkpoint.reports.length > 0 && { askReports: checkpoint.reports }),
      };
    },
  });
}

/** The first request to each panelist, for `exai explain`; reads no file. */
function previewAsk(
  args: ConsensusArgs,
  { modelDirectory, locale }: ConsensusDeps,
): AskRequest | AskMany {
  const request = readQuestion(args);
  const panelists = readPanel(args, modelDirectory);
  const limit = readCostLimit(args);
  const question = { request, files: previewFiles(attachedFiles(args)), locale };
  const share = {
    timeoutMs: args.per_model_seconds * 1000,
    ...(limit !== undefined && {
      maxCostMicroUsd: costShare(limit, panelists.length * args.rounds),
    }),
  };
  const [first, ...others] = panelists.map((panelist) => firstRequest(question, panelist, share));
  return first ? { askMany: [first, ...others] } : request;
}

/** The argument that errors about files name. */
function fileField({ files = [], relevant_files: relevant = [] }: ConsensusArgs): string {
  return relevant.length > 0 && files.length === 0 ? 'relevant_files' : 'files';
}

/** The turns to save. No model is saved as that of the conversation. */
function turnsOf(
  asked: string,
  kept: readonly string[],
  text: string,
  results: readonly PanelistResult[],
): readonly NewTurn[] {
  const usage = totalUsage(results);
  return [
    { role: 'user', tool: NAME, content: asked, ...(kept.length > 0 && { files: kept }) },
    { role: 'assistant', tool: NAME, content: text, ...(usage !== undefined && { usage }) },
  ];
}
