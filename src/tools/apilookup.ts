import * as z from 'zod';
import type { AskAnswer, AskRequest } from '#core/ask.ts';
import type { Caller } from '#core/call.ts';
import { defineTool } from '#core/define-tool.schema.ts';
import { notice, type Notice } from '#core/messages/notices.ts';
import type { NewTurn } from '#core/stores/conversations.ts';
import type { Continuation, Thread, Threads } from '#core/threads.ts';
import type { Tool, ToolAnswer } from '#core/tool.ts';
import type { ModelDesk } from '#models/desk.ts';
import { APILOOKUP_PROMPT, dayWords } from './apilookup.prompt.ts';
import { noticeFacts, noticeParagraphs } from './asking/beside-answer.ts';
import * as fields from './asking/fields.ts';
import { inThread } from './asking/in-thread.ts';
import { readAskRequest } from './asking/read-request.ts';
import { keepTurns } from './asking/keep-turns.ts';
import { SourceShapes } from './asking/source-shapes.ts';
import { sourceContent, sourceList } from './asking/sources.ts';
import { systemPrompt } from './asking/system-prompt.ts';
import { answerTurn, lockOf } from './asking/turns.ts';
import { APILOOKUP_HELP } from './help/apilookup.ts';
import { ownsMachine } from './reporting/viewer.ts';

export interface ApilookupDeps {
  readonly threads: Pick<Threads, 'open'>;
  /** Who can search is known there. */
  readonly desk: Pick<ModelDesk, 'providers' | 'resolve'>;
  readonly locale: string;
}

/** Whether the web stands behind an answer. */
type Lookup = 'cited' | 'uncited' | 'none';

const NAME = 'apilookup';
const TIMEOUT_MS = 300_000;

export function apilookup({ threads, desk, locale }: ApilookupDeps): Tool {
  function toRequest(args: Readonly<Record<string, unknown>>, day?: string): AskRequest {
    const always = systemPrompt(APILOOKUP_PROMPT, { locale, search: 'on' });
    const system = day === undefined ? always : `${always}\n\n${day}`;
    // A quotation of the question would look up nothing.
    return { ...readAskRequest(args), system, search: 'on', lastResort: 'none' };
  }

  const searches = (id: string) =>
    desk.providers().some((each) => each.id === id && each.can.includes('web_search'));

  /** Whether the model of the conversation is the one to ask: here who can search is worth more than who answered last. */
  function staysWith({ model }: Thread): boolean {
    if (model === undefined) return true;
    const found = desk.resolve(model);
    return found.is === 'found' && searches(found.model.provider);
  }

  return defineTool({
    name: NAME,
    title: 'Look up an API',
    description:
      'Looks up current documentation on the web: an API, SDK, library or OS, its latest version, exact signatures and settings, breaking changes and migration. It searches itself and names its sources. Use it before you rely on what you remember.',
    help: APILOOKUP_HELP,
    input: z.strictObject({
      prompt: fields.promptField,
      model: fields.modelField.optional(),
      thinking_mode: fields.thinkingField.optional(),
      continuation_id: fields.continuationField.optional(),
    }),
    output: z.strictObject({
      text: z.string(),
      finish: z.enum(['stop', 'length', 'tool_calls']),
      lookup: z
        .enum(['cited', 'uncited', 'none'])
        .describe('Whether the web stands behind it: with sources, without, or not at all.'),
      citations: SourceShapes.optional(),
    }),
    // All it changes is its own conversation, which no user need be asked about; but sent twice it is said twice.
    effect: 'reads',
    idempotent: false,
    openWorld: true,
    category: 'balanced',
    profile: 'standard',
    lane: 'provider',
    timeoutMs: TIMEOUT_MS,
    // It keeps its conversation at the very end: until then nothing is done that a second run would do again.
    resumable: true,
    wouldAsk: (args) => toRequest(args),
    async run(args, context) {
      const { prompt } = args;
      const thread = await threads.open({
        principal: context.caller.principal,
        id: fields.continuationOf(args),
        about: prompt,
      });
      const request = toRequest(args, dayWords(context.metadata.timestamp_local));
      const stays = staysWith(thread);
      const { lockedModel, ...open } = inThread(request, thread);
      const answer = await context.ask(
        stays && lockedModel !== undefined ? { ...open, lockedModel } : open,
        {
          onText: (text) => context.progress({ text }),
          onNote: (note) => context.progress({ note }),
        },
      );
      const lookup = lookupOf(answer, searches(answer.provider) ? 'able' : 'unable');
      const kept = await keepTurns(thread, turnsOf(prompt, answer), stays ? lockOf(answer) : {});
      const notices = [...lookupNotices(lookup, answer, desk, context.caller), ...kept.notices];
      return toToolAnswer(answer, lookup, notices, kept.continuation);
    },
  });
}

function lookupOf({ citations }: AskAnswer, search: 'able' | 'unable'): Lookup {
  if (citations.length > 0) return 'cited';
  return search === 'able' ? 'uncited' : 'none';
}

function lookupNotices(
  lookup: Lookup,
  { model }: AskAnswer,
  desk: ApilookupDeps['desk'],
  caller: Caller,
): readonly Notice[] {
  if (lookup === 'cited') return [];
  if (lookup === 'uncited') return [notice('no_source', {})];
  const searching = desk.providers().filter(({ can }) => can.includes('web_search'));
  const isNoneSetUp = searching.every(({ configured }) => !configured);
  // Of those that search, GLM names its sources. How to set it up is the business of whoever owns the machine.
  const best = searching.find(({ id }) => id === 'glm') ?? searching[0];
  const fix = ownsMachine(caller) ? best?.fix : undefined;
  return [
    notice('not_looked_up', {
      model,
      searchProviders: isNoneSetUp ? 'none' : 'some',
      ...(fix !== undefined && { fix }),
    }),
  ];
}

function turnsOf(prompt: string, answer: AskAnswer): readonly NewTurn[] {
  const said = `${answer.text}${sourceList(answer.citations)}`;
  return [{ role: 'user', tool: NAME, content: prompt }, answerTurn(NAME, said, answer)];
}

const CUT = notice('answer_cut', {});

function toToolAnswer(
  { text, citations, finish }: AskAnswer,
  lookup: Lookup,
  others: readonly Notice[],
  continuation: Continuation | undefined,
): ToolAnswer {
  const notices = [...(finish === 'length' ? [CUT] : []), ...others];
  return {
    text: `${text}${noticeParagraphs(notices)}${sourceList(citations)}`,
    content: {
      text,
      finish,
      lookup,
      ...(citations.length > 0 && { citations: citations.map(sourceContent) }),
    },
    ...noticeFacts(notices),
    ...(continuation && { continuation }),
  };
}
