import * as z from 'zod';
import type { AskRequest } from '#core/ask.ts';
import type { Clock } from '#core/clock.ts';
import { defineTool } from '#core/define-tool.schema.ts';
import type { NewTurn } from '#core/stores/conversations.ts';
import type { Threads } from '#core/threads.ts';
import type { AsksEach, Tool } from '#core/tool.ts';
import type { Workspace } from '#core/workspace.ts';
import type { ModelDesk } from '#models/desk.ts';
import { noticeFacts, noticeParagraphs } from '../asking/beside-answer.ts';
import * as fields from '../asking/fields.ts';
import { filesInView } from '../asking/files-in-view.ts';
import { givenFiles, unread } from '../asking/given-files.ts';
import { keepTurns } from '../asking/keep-turns.ts';
import { CONSENSUS_HELP } from '../help/consensus.ts';
import { ConsensusShape, contentOf, statusOf } from './content.ts';
import { consensusFields, type ConsensusArgs } from './fields.ts';
import { openHeardBefore } from './heard-before.ts';
import { filesOf, limitOf, neededOf, questionOf, voicesOf } from './read-args.ts';
import type { Heard } from './reply.ts';
import { firstRequest } from './requests.ts';
import { runConsensus } from './run-consensus.ts';
import { costShare } from './shares.ts';
import { usageOf } from './spent.ts';
import { consensusWords } from './words.ts';

export interface ConsensusDeps {
  readonly threads: Pick<Threads, 'open'>;
  readonly workspace: Pick<Workspace, 'read'>;
  readonly desk: Pick<ModelDesk, 'models' | 'providers' | 'resolve'>;
  readonly clock: Pick<Clock, 'monotonic'>;
  readonly locale: string;
}

const NAME = 'consensus';
/** Two rounds of the usual length, and some more. */
const TIMEOUT_MS = 300_000;

/** Several models on one question, each alone; one call is the whole of it. */
export function consensus(deps: ConsensusDeps): Tool {
  const { threads, workspace, desk, clock, locale } = deps;
  return defineTool({
    name: NAME,
    title: 'Consensus',
    description:
      'Ask several models the same question at once, each without seeing the others, and compare what they say: for decisions that one opinion should not settle. One call does all of it.',
    help: CONSENSUS_HELP,
    input: z.strictObject(consensusFields),
    output: ConsensusShape,
    // All it changes is its own conversation, which no user need be asked about; but sent twice it is said twice.
    effect: 'reads',
    idempotent: false,
    openWorld: true,
    category: 'extended_reasoning',
    profile: 'lean',
    lane: 'provider',
    timeoutMs: TIMEOUT_MS,
    resumable: true,
    wouldAsk: (args) => wouldAsk(args, deps),
    async run(args, context) {
      const request = questionOf(args);
      const voices = voicesOf(args, desk);
      const quorum = neededOf(args, voices);
      const about = args.prompt ?? args.step ?? '';
      const thread = await threads.open({
        principal: context.caller.principal,
        id: fields.continuationOf(args),
        about,
      });
      const view = await filesInView(
        givenFiles(filesOf(args)),
        thread.files,
        naming(workspace, args),
        context,
      );
      if ('asks' in view) return view;
      const asked = { ...request, messages: [...thread.history, ...request.messages] };
      const before = openHeardBefore(context);
      const { outcome, notices } = await runConsensus(
        {
          question: { request: asked, files: view.texts, locale },
          voices,
          rounds: args.rounds,
          quorum,
          perModelMs: args.per_model_seconds * 1000,
          maxCostMicroUsd: limitOf(args),
        },
        { context, clock, before },
      );
      const text = consensusWords(outcome);
      const kept = await keepTurns(thread, turnsOf(about, view.paths, text, outcome.heard));
      const told = [...view.notices, ...notices, ...kept.notices];
      return {
        status: statusOf(outcome),
        text: `${text}${noticeParagraphs(told)}`,
        content: contentOf(outcome),
        ...noticeFacts(told),
        ...(kept.continuation && { continuation: kept.continuation }),
        ...(before.reports.length > 0 && { asked: before.reports }),
      };
    },
  });
}

/** What each of them is asked first; nothing is read for it. */
function wouldAsk(args: ConsensusArgs, { desk, locale }: ConsensusDeps): AskRequest | AsksEach {
  const request = questionOf(args);
  const voices = voicesOf(args, desk);
  const { paths, texts } = givenFiles(filesOf(args));
  const limit = limitOf(args);
  const question = { request, files: [...paths.map(unread), ...texts], locale };
  const share = {
    timeoutMs: args.per_model_seconds * 1000,
    ...(limit !== undefined && {
      maxCostMicroUsd: costShare(limit, voices.length * args.rounds),
    }),
  };
  const [first, ...others] = voices.map((voice) => firstRequest(question, voice, share));
  return first ? { asksEach: [first, ...others] } : request;
}

/** What cannot be read is told by the name of the argument that it stood in. */
function naming(
  workspace: ConsensusDeps['workspace'],
  { files = [], relevant_files: relevant = [] }: ConsensusArgs,
): ConsensusDeps['workspace'] {
  const isRelevant = relevant.length > 0 && !files.some((each) => typeof each === 'string');
  if (!isRelevant) return workspace;
  return { read: (paths, _, by) => workspace.read(paths, 'relevant_files', by) };
}

/** Nobody's model becomes that of the conversation. */
function turnsOf(
  asked: string,
  paths: readonly string[],
  text: string,
  heard: readonly Heard[],
): readonly NewTurn[] {
  const usage = usageOf(heard);
  return [
    { role: 'user', tool: NAME, content: asked, ...(paths.length > 0 && { files: paths }) },
    { role: 'assistant', tool: NAME, content: text, ...(usage !== undefined && { usage }) },
  ];
}
