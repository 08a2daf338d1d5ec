import { isId } from '#core/ids.ts';
import type { Threads } from '#core/threads.ts';
import type { Clock } from '#core/time/clock.ts';
import type { Complete, Prompt } from '#core/tools/prompt.ts';
import type { Tool } from '#core/tools/tool.ts';
import type { ModelDirectory } from '#models/model-directory.ts';
import { ICON } from '../icon.ts';
import {
  choicesOf,
  completeChoices,
  completeModelList,
  completeModels,
  completeThreads,
  createRecentThreads,
  type RecentThreads,
} from './completion.ts';
import { readPromptInput, splitList, type Fit } from './prompt-input.ts';
import type { PromptRow, RowArgument } from './prompt-row.ts';
import { PROMPT_ROWS } from './prompt-rows.ts';
import { renderToolCall } from './render-tool-call.ts';
import { continuePrompt, threadsPrompt } from './thread-prompts.ts';

export interface PromptDeps {
  /**
   * The tools in `tools/list`; only these become slash commands, because a client's model calls no
   * others.
   */
  readonly listed: readonly Tool[];
  readonly modelDirectory: Pick<ModelDirectory, 'models' | 'resolve'>;
  readonly threads: Pick<Threads, 'list' | 'show'>;
  readonly clock: Pick<Clock, 'after'>;
}

/** Creates the prompts of tools and conversations. */
export function toolPrompts({
  listed,
  modelDirectory,
  threads,
  clock,
}: PromptDeps): readonly Prompt[] {
  const recent = createRecentThreads({ threads, clock });
  const find = (name: string) => listed.find((tool) => tool.name === name);
  return [
    ...PROMPT_ROWS.flatMap((row) => {
      const tool = find(row.tool);
      return tool ? [toolPrompt(row, tool, { modelDirectory, recent })] : [];
    }),
    ...(find('chat') ? [continuePrompt({ threads, recent, listed })] : []),
    ...(find('threads') ? [threadsPrompt] : []),
  ];
}

interface ToolPromptDeps {
  readonly recent: RecentThreads;
  readonly modelDirectory: Pick<ModelDirectory, 'models' | 'resolve'>;
}

/** Limit of consensus. */
const MAX_MODELS = 8;

/**
 * Creates the prompt of a tool. No argument is required: without a text, the conversation tells
 * what the user wants.
 */
function toolPrompt(row: PromptRow, tool: Tool, deps: ToolPromptDeps): Prompt {
  const { text, more, title, description } = row;
  const fits = (argument: RowArgument, value: string) => fitOf(argument, value, tool, deps);
  return {
    name: row.tool,
    title,
    description,
    icons: [ICON],
    uses: row.tool,
    arguments: [
      text,
      ...more.map((argument) => {
        const complete = completionOf(argument, tool, deps);
        const { name, description: words } = argument;
        return { name, description: words, ...(complete && { complete }) };
      }),
    ],
    get: (args) => ({
      description,
      messages: [
        {
          role: 'user',
          content: { type: 'text', text: renderToolCall(row, readPromptInput(row, args, fits)) },
        },
      ],
    }),
  };
}

function completionOf(
  { name, kind, to = name }: RowArgument,
  tool: Tool,
  deps: ToolPromptDeps,
): Complete | undefined {
  switch (kind) {
    case 'model':
      return completeModels(deps.modelDirectory);
    case 'models':
      return completeModelList(deps.modelDirectory);
    case 'thread':
      return completeThreads(deps.recent);
    case 'choice':
      return completeChoices(choicesOf(tool, to));
    case 'paths':
    case 'words':
      return undefined;
  }
}

function fitOf(
  { name, kind, to = name }: RowArgument,
  value: string,
  tool: Tool,
  { modelDirectory }: ToolPromptDeps,
): Fit {
  const isModel = (model: string) =>
    model.toLowerCase() === 'auto' || modelDirectory.resolve(model).is === 'found';
  switch (kind) {
    case 'model':
      return yesOrNo(isModel(value));
    case 'models':
      return yesOrNo(splitList(value).slice(0, MAX_MODELS).some(isModel));
    case 'thread':
      // Something that looks like an id is a typo, which the tool explains.
      return yesOrNo(isId(value, 'conv') || value.startsWith('conv'));
    case 'choice':
      return yesOrNo(choicesOf(tool, to).includes(value.toLowerCase()));
    case 'paths':
      return /[./\\]/.test(value) ? 'yes' : 'unknown';
    case 'words':
      return 'unknown';
  }
}

function yesOrNo(isFit: boolean): Fit {
  return isFit ? 'yes' : 'no';
}
